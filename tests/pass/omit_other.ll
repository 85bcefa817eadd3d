; The remaining reasons, each beside its nearest checked case, and the sum: every access is checked or has a reason.
; RUN: %footrace -footrace-stats %s 2>%t.stats | FileCheck %s
; RUN: FileCheck %s --check-prefix=STATS < %t.stats
; RUN: %footrace -footrace-skip-internal-global=0 %s | FileCheck %s --check-prefix=ALL
target triple = "x86_64-unknown-linux-gnu"

; STATS: footrace: checks of {{.*}}omit_other.ll
; STATS-NEXT: 14 accesses seen
; STATS-NEXT: 3 checked: read
; STATS-NEXT: 3 checked: write
; STATS-NEXT: 2 left out: internal-global
; STATS-NEXT: 1 left out: other-address-space
; STATS-NEXT: 2 left out: swifterror
; STATS-NEXT: 1 left out: scalable-vector
; STATS-NEXT: 1 left out: inline-assembly
; STATS-NEXT: 1 left out: unknown-intrinsic
; STATS-NEXT: ms of analysis in 9 functions, and 0.00 ms for

@__llvm_gcov_ctr = internal global [2 x i64] zeroinitializer
@llvm_counter = internal global i64 0

define void @counters_of_the_compiler_are_left_out() sanitize_thread {
; CHECK-LABEL: @counters_of_the_compiler_are_left_out(
; CHECK-NOT: __footrace_write8(ptr @__llvm_gcov_ctr
; CHECK: __footrace_write8(ptr @llvm_counter
; ALL-LABEL: @counters_of_the_compiler_are_left_out(
; ALL: __footrace_write8(ptr @__llvm_gcov_ctr
  store i64 1, ptr @__llvm_gcov_ctr
  store i64 1, ptr @llvm_counter
  ret void
}

; The C library's own, and one that only begins like it.
@__libc_single_threaded = external global i8
@__libc_single_threaded.mine = external global i8

define i8 @variable_of_the_library_is_left_out() sanitize_thread {
; CHECK-LABEL: @variable_of_the_library_is_left_out(
; CHECK-NOT: __footrace_read1(ptr @__libc_single_threaded,
; CHECK: __footrace_read1(ptr @__libc_single_threaded.mine
; ALL-LABEL: @variable_of_the_library_is_left_out(
; ALL: __footrace_read1(ptr @__libc_single_threaded,
  %a = load i8, ptr @__libc_single_threaded
  %b = load i8, ptr @__libc_single_threaded.mine
  %sum = add i8 %a, %b
  ret i8 %sum
}

define i64 @segment_relative_load_is_left_out(ptr %p) sanitize_thread {
; CHECK-LABEL: @segment_relative_load_is_left_out(
; CHECK: load i64, ptr addrspace(257)
; CHECK-NEXT: __footrace_read8(ptr %p
  %a = load i64, ptr addrspace(257) null
  %b = load i64, ptr %p
  ret i64 %b
}

define void @swifterror_is_left_out(ptr %q) sanitize_thread {
; CHECK-LABEL: @swifterror_is_left_out(
; CHECK-NOT: __footrace_{{.*}}%e
; CHECK: __footrace_write8(ptr %q
  %e = alloca swifterror ptr
  store ptr null, ptr %e
  %v = load ptr, ptr %e
  store ptr %v, ptr %q
  ret void
}

define void @scalable_vector_is_left_out(ptr %p, <vscale x 4 x i32> %v) sanitize_thread {
; CHECK-LABEL: @scalable_vector_is_left_out(
; CHECK-NOT: __footrace_
; CHECK: ret void
  store <vscale x 4 x i32> %v, ptr %p
  ret void
}

define void @memory_operand_of_assembly_is_counted(ptr %p) sanitize_thread {
; CHECK-LABEL: @memory_operand_of_assembly_is_counted(
; CHECK-NOT: __footrace_
; CHECK: ret void
  call void asm sideeffect "lock; incl $0", "=*m,~{memory}"(ptr elementtype(i32) %p)
  ret void
}

define void @intrinsic_of_unknown_extent_is_counted(ptr %p) sanitize_thread {
; CHECK-LABEL: @intrinsic_of_unknown_extent_is_counted(
; CHECK: call void @llvm.x86.xsave
; CHECK: __footrace_write_range(ptr %p, i64 512,
; CHECK-NEXT: call void @llvm.x86.fxsave
  call void @llvm.x86.xsave(ptr %p, i32 0, i32 0)
  call void @llvm.x86.fxsave(ptr %p)
  ret void
}

define void @hints_and_markers_are_no_accesses(ptr %p) sanitize_thread {
; CHECK-LABEL: @hints_and_markers_are_no_accesses(
; CHECK-NOT: __footrace_
; CHECK: ret void
  call void @llvm.prefetch.p0(ptr %p, i32 0, i32 3, i32 1)
  call void @llvm.assume(i1 true)
  ret void
}

define i32 @null_or_argument_is_checked(i1 %c, ptr %p) sanitize_thread {
; CHECK-LABEL: @null_or_argument_is_checked(
; CHECK: __footrace_read4(ptr %q
  %q = select i1 %c, ptr null, ptr %p
  %v = load i32, ptr %q
  ret i32 %v
}
