; The same-epoch test in line: the call is made only when the shadow word is not the thread's epoch.
; RUN: %opt_with_plugin -verify-each -passes=footrace -S %s | FileCheck %s

; CHECK: @__footrace_now = external thread_local(initialexec) global [17 x i64]

define i64 @aligned_word(ptr %p) sanitize_thread {
; CHECK-LABEL: @aligned_word(
; CHECK: %[[CELL:.*]] = add i64 %{{.*}}, 17592186044424
; CHECK: %[[WORD:.*]] = load atomic i64, ptr %{{.*}} monotonic
; CHECK: %[[EPOCH:.*]] = load i64, ptr %{{.*}}
; CHECK: icmp ne i64 %[[WORD]], %[[EPOCH]]
; CHECK: br i1 %{{.*}}, label %[[SLOW:.*]], label %[[FAST:.*]], !prof
; CHECK: call preserve_mostcc void @__footrace_unseen_read8(ptr %p, ptr
; CHECK: load i64, ptr %p
  %v = load i64, ptr %p, align 8
  ret i64 %v
}

define i64 @words_in_a_loop(ptr %p) sanitize_thread {
; Not of this epoch, but perhaps by readers that the thread knows: worth a second test in loops only.
; CHECK-LABEL: @words_in_a_loop(
; CHECK: %[[WORD:.*]] = load atomic i64, ptr %{{.*}} monotonic
; CHECK: %[[EPOCH:.*]] = load i64, ptr %{{.*}}
; CHECK: icmp ne i64 %[[WORD]], %[[EPOCH]]
; CHECK: br i1
; CHECK: %[[READERS:.*]] = load i64, ptr %{{.*}}
; CHECK: icmp ne i64 %[[WORD]], %[[READERS]]
; CHECK: br i1
; CHECK: call preserve_mostcc void @__footrace_unseen_read8(ptr %at, ptr
entry:
  br label %loop
loop:
  %at = phi ptr [ %p, %entry ], [ %next, %loop ]
  %next = load ptr, ptr %at, align 8
  %end = icmp eq ptr %next, null
  br i1 %end, label %exit, label %loop
exit:
  ret i64 0
}

define void @bytes_of_a_word(ptr %p) sanitize_thread {
; A part of a cell also compares the mask, in the W word this time.
; CHECK-LABEL: @bytes_of_a_word(
; CHECK: add i64 %{{.*}}, 17592186044416
; CHECK: shl i64 15,
; CHECK: or i64 %{{.*}}, -256
; CHECK: br i1
; CHECK: call preserve_mostcc void @__footrace_unseen_write4(ptr %p, ptr
  store i32 1, ptr %p, align 4
  ret void
}

define <2 x i64> @two_cells(ptr %p) sanitize_thread {
; CHECK-LABEL: @two_cells(
; CHECK: load atomic i64
; CHECK: load atomic i64
; CHECK: br i1
; CHECK: call preserve_mostcc void @__footrace_unseen_read16(
  %v = load <2 x i64>, ptr %p, align 16
  ret <2 x i64> %v
}

define i32 @mostly_in_one_cell(ptr %p) sanitize_thread {
; Bytes that reach into the next cell fail the test; the runtime looks at both.
; CHECK-LABEL: @mostly_in_one_cell(
; CHECK: %[[MASK:.*]] = shl i64 15,
; CHECK: %[[BEYOND:.*]] = lshr i64 %[[MASK]], 8
; CHECK: or i64 %{{.*}}, %[[BEYOND]]
; CHECK: br i1
; CHECK: call void @__footrace_read4(ptr %p, ptr
  %v = load i32, ptr %p, align 1
  ret i32 %v
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

; The dynamic linker would change registers if it were asked when the call is made.
; CHECK: declare preserve_mostcc void @__footrace_unseen_read8(ptr, ptr) #[[KEEPING:[0-9]+]]
; CHECK: attributes #[[KEEPING]] = { nounwind nonlazybind }
