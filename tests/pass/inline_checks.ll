; The same-epoch test in line: the call is made only when the shadow word is not the thread's epoch.
; RUN: %opt_with_plugin -verify-each -passes=footrace -S %s | FileCheck %s

; CHECK: @__footrace_epoch = external thread_local(initialexec) global i64

define i64 @aligned_word(ptr %p) sanitize_thread {
; CHECK-LABEL: @aligned_word(
; CHECK: %[[EPOCH:.*]] = load i64, ptr %{{.*}}
; CHECK: %[[CELL:.*]] = add i64 %{{.*}}, 17592186044424
; CHECK: %[[WORD:.*]] = load atomic i64, ptr %{{.*}} monotonic
; CHECK: xor i64 %[[WORD]], %[[EPOCH]]
; CHECK: br i1 %{{.*}}, label %[[SLOW:.*]], label %[[FAST:.*]], !prof
; CHECK: call void @__footrace_read8(ptr %p, ptr
; CHECK: load i64, ptr %p
  %v = load i64, ptr %p, align 8
  ret i64 %v
}

define void @bytes_of_a_word(ptr %p) sanitize_thread {
; A part of a cell also compares the mask, in the W word this time.
; CHECK-LABEL: @bytes_of_a_word(
; CHECK: add i64 %{{.*}}, 17592186044416
; CHECK: shl i64 15,
; CHECK: or i64 %{{.*}}, -256
; CHECK: br i1
; CHECK: call void @__footrace_write4(ptr %p, ptr
  store i32 1, ptr %p, align 4
  ret void
}

define <2 x i64> @two_cells(ptr %p) sanitize_thread {
; CHECK-LABEL: @two_cells(
; CHECK: load atomic i64
; CHECK: load atomic i64
; CHECK: br i1
; CHECK: call void @__footrace_read16(
  %v = load <2 x i64>, ptr %p, align 16
  ret <2 x i64> %v
}

define i64 @may_cross_a_cell(ptr %p) sanitize_thread {
; CHECK-LABEL: @may_cross_a_cell(
; CHECK-NOT: br i1
; CHECK: call void @__footrace_read8(ptr %p, ptr
  %v = load i64, ptr %p, align 4
  ret i64 %v
}

define i64 @not_to_be_optimised(ptr %p) noinline optnone sanitize_thread {
; CHECK-LABEL: @not_to_be_optimised(
; CHECK-NOT: br i1
; CHECK: call void @__footrace_read8(ptr %p, ptr
  %v = load i64, ptr %p, align 8
  ret i64 %v
}
