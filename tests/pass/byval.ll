; The caller reads a byval argument to copy it.
; RUN: %footrace %s | FileCheck %s
%pair = type { i64, i64, i64 }
declare void @takes_copy(ptr byval(%pair))
declare void @takes_pointer(ptr)

define void @byval_argument_is_a_read(ptr %p) sanitize_thread {
; CHECK-LABEL: @byval_argument_is_a_read(
; CHECK: call void @__footrace_read_range(ptr %p, i64 24, ptr
; CHECK-NEXT: call void @takes_copy(
  call void @takes_copy(ptr byval(%pair) %p)
  ret void
}

define void @pointer_argument_is_not(ptr %p) sanitize_thread {
; CHECK-LABEL: @pointer_argument_is_not(
; CHECK-NOT: __footrace_read
; CHECK: call void @takes_pointer(
  call void @takes_pointer(ptr %p)
  ret void
}

define void @byval_of_a_private_local_is_not_checked() sanitize_thread {
; CHECK-LABEL: @byval_of_a_private_local_is_not_checked(
; CHECK-NOT: __footrace_read
; CHECK: ret void
  %x = alloca %pair
  call void @takes_copy(ptr byval(%pair) %x)
  ret void
}
