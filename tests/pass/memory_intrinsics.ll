; Small constant sizes are expanded in place by LLVM and get range checks; the rest becomes the runtime's function.
; RUN: %footrace %s | FileCheck %s
; RUN: %footrace -footrace-memory-intrinsics=0 %s | FileCheck %s --check-prefix=KEPT

@table = constant [512 x i8] zeroinitializer

define void @small_copy_keeps_the_intrinsic(ptr %d, ptr %s) sanitize_thread {
; CHECK-LABEL: @small_copy_keeps_the_intrinsic(
; CHECK: call void @__footrace_read_range(ptr %s, i64 24,
; CHECK-NEXT: call void @__footrace_write_range(ptr %d, i64 24,
; CHECK-NEXT: call void @llvm.memcpy.p0.p0.i64(
; CHECK: call void @__footrace_read16(ptr %s,
; CHECK-NEXT: call void @__footrace_write16(ptr %d,
; CHECK-NEXT: call void @llvm.memmove.p0.p0.i64(
  call void @llvm.memcpy.p0.p0.i64(ptr %d, ptr %s, i64 24, i1 false)
  call void @llvm.memmove.p0.p0.i64(ptr %d, ptr %s, i64 16, i1 false)
  ret void
}

define void @copy_of_128_bytes_is_kept_129_is_replaced(ptr %d, ptr %s) sanitize_thread {
; CHECK-LABEL: @copy_of_128_bytes_is_kept_129_is_replaced(
; CHECK: call void @llvm.memcpy.p0.p0.i64(ptr %d, ptr %s, i64 128
; CHECK-NEXT: call ptr @__footrace_memcpy(ptr %d, ptr %s, i64 129, ptr
; CHECK-NOT: llvm.memcpy
; CHECK: ret void
; KEPT-LABEL: @copy_of_128_bytes_is_kept_129_is_replaced(
; KEPT: call void @__footrace_read_range(ptr %s, i64 129,
; KEPT-NEXT: call void @__footrace_write_range(ptr %d, i64 129,
; KEPT-NEXT: call void @llvm.memcpy.p0.p0.i64(ptr %d, ptr %s, i64 129
  call void @llvm.memcpy.p0.p0.i64(ptr %d, ptr %s, i64 128, i1 false)
  call void @llvm.memcpy.p0.p0.i64(ptr %d, ptr %s, i64 129, i1 false)
  ret void
}

define void @run_time_sizes_are_replaced(ptr %d, ptr %s, i64 %n, i32 %m, i8 %c) sanitize_thread {
; CHECK-LABEL: @run_time_sizes_are_replaced(
; CHECK: call ptr @__footrace_memcpy(ptr %d, ptr %s, i64 %n, ptr
; CHECK-NEXT: %[[M:.*]] = zext i32 %m to i64
; CHECK-NEXT: call ptr @__footrace_memmove(ptr %d, ptr %s, i64 %[[M]], ptr
; CHECK-NEXT: %[[C:.*]] = zext i8 %c to i32
; CHECK-NEXT: call ptr @__footrace_memset(ptr %d, i32 %[[C]], i64 %n, ptr
; CHECK-NOT: @llvm.mem
; CHECK: ret void
  call void @llvm.memcpy.p0.p0.i64(ptr %d, ptr %s, i64 %n, i1 false)
  call void @llvm.memmove.p0.p0.i32(ptr %d, ptr %s, i32 %m, i1 false)
  call void @llvm.memset.p0.i64(ptr %d, i8 %c, i64 %n, i1 false)
  ret void
}

define void @volatile_and_inline_forms_stay(ptr %d, ptr %s, i64 %n) sanitize_thread {
; CHECK-LABEL: @volatile_and_inline_forms_stay(
; CHECK: call void @__footrace_read_range(ptr %s, i64 %n,
; CHECK-NEXT: call void @__footrace_write_range(ptr %d, i64 %n,
; CHECK-NEXT: call void @llvm.memcpy.p0.p0.i64(ptr %d, ptr %s, i64 %n, i1 true)
; CHECK: call void @llvm.memcpy.inline.p0.p0.i64(ptr %d, ptr %s, i64 512, i1 false)
; CHECK-NEXT: call void @__footrace_write_range(ptr %d, i64 512,
; CHECK-NEXT: call void @llvm.memset.inline.p0.i64(
  call void @llvm.memcpy.p0.p0.i64(ptr %d, ptr %s, i64 %n, i1 true)
  call void @llvm.memcpy.inline.p0.p0.i64(ptr %d, ptr %s, i64 512, i1 false)
  call void @llvm.memset.inline.p0.i64(ptr %d, i8 0, i64 512, i1 false)
  ret void
}

define void @side_that_cannot_race_is_not_checked(ptr %d) sanitize_thread {
; CHECK-LABEL: @side_that_cannot_race_is_not_checked(
; CHECK-NOT: __footrace_read
; CHECK-NOT: __footrace_memcpy
; CHECK: call void @__footrace_write_range(ptr %d, i64 512,
; CHECK-NEXT: call void @llvm.memcpy
  call void @llvm.memcpy.p0.p0.i64(ptr %d, ptr @table, i64 512, i1 false)
  ret void
}

define void @copy_of_nothing_is_no_access(ptr %d, ptr %s) sanitize_thread {
; CHECK-LABEL: @copy_of_nothing_is_no_access(
; CHECK-NEXT: call void @llvm.memcpy
; CHECK-NEXT: ret void
  call void @llvm.memcpy.p0.p0.i64(ptr %d, ptr %s, i64 0, i1 false)
  ret void
}

define void @function_without_attribute_keeps_its_copy(ptr %d, ptr %s, i64 %n) {
; CHECK-LABEL: @function_without_attribute_keeps_its_copy(
; CHECK-NEXT: call void @llvm.memcpy
; CHECK-NEXT: ret void
  call void @llvm.memcpy.p0.p0.i64(ptr %d, ptr %s, i64 %n, i1 false)
  ret void
}
