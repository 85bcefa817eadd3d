; A stack variable is left out when no other thread can get its address, and only then.
; RUN: %footrace -footrace-stats %s 2>%t.stats | FileCheck %s
; RUN: FileCheck %s --check-prefix=STATS < %t.stats
; RUN: %footrace -footrace-skip-nonescaping-alloca=0 %s | FileCheck %s --check-prefix=ALL
; STATS: 9 left out: non-escaping-alloca

@global = global ptr null
declare void @keeps(ptr)
declare void @looks(ptr captures(none))

define i32 @local_is_left_out() sanitize_thread {
; CHECK-LABEL: @local_is_left_out(
; CHECK-NOT: __footrace_
; CHECK: ret i32
; ALL-LABEL: @local_is_left_out(
; ALL: __footrace_write4
; ALL: __footrace_read4
  %x = alloca i32
  store i32 1, ptr %x
  %v = load i32, ptr %x
  ret i32 %v
}

define i32 @escaping_local_is_checked_even_before_it_escapes() sanitize_thread {
; CHECK-LABEL: @escaping_local_is_checked_even_before_it_escapes(
; CHECK: __footrace_write4(ptr %x
; CHECK: __footrace_read4(ptr %x
  %x = alloca i32
  store i32 1, ptr %x
  call void @keeps(ptr %x)
  %v = load i32, ptr %x
  ret i32 %v
}

define i32 @callee_that_does_not_capture_keeps_it_private() sanitize_thread {
; CHECK-LABEL: @callee_that_does_not_capture_keeps_it_private(
; CHECK-NOT: __footrace_read4
; CHECK: ret i32
  %x = alloca i32
  call void @looks(ptr %x)
  %v = load i32, ptr %x
  ret i32 %v
}

define void @stored_address_escapes() sanitize_thread {
; CHECK-LABEL: @stored_address_escapes(
; CHECK: __footrace_write8(ptr @global
; CHECK: __footrace_write4(ptr %x
  %x = alloca i32
  store ptr %x, ptr @global
  store i32 1, ptr %x
  ret void
}

define i32 @compared_address_does_not_escape(ptr %other) sanitize_thread {
; CHECK-LABEL: @compared_address_does_not_escape(
; CHECK-NOT: __footrace_
; CHECK: ret i32
  %x = alloca i32
  store i32 1, ptr %x
  %same = icmp eq ptr %x, %other
  %v = zext i1 %same to i32
  ret i32 %v
}

define i32 @either_of_two_locals_is_left_out(i1 %c) sanitize_thread {
; CHECK-LABEL: @either_of_two_locals_is_left_out(
; CHECK-NOT: __footrace_
; CHECK: ret i32
  %x = alloca i32
  %y = alloca [4 x i32]
  %z = getelementptr i32, ptr %y, i64 2
  %p = select i1 %c, ptr %x, ptr %z
  %v = load i32, ptr %p
  ret i32 %v
}

define i32 @local_or_argument_is_checked(i1 %c, ptr %a) sanitize_thread {
; CHECK-LABEL: @local_or_argument_is_checked(
; CHECK: __footrace_read4(ptr %p
  %x = alloca i32
  br i1 %c, label %then, label %join
then:
  br label %join
join:
  %p = phi ptr [ %x, %then ], [ %a, %0 ]
  %v = load i32, ptr %p
  ret i32 %v
}

define i32 @pointer_in_a_loop_stays_in_its_array(i32 %n) sanitize_thread {
; CHECK-LABEL: @pointer_in_a_loop_stays_in_its_array(
; CHECK-NOT: __footrace_
; CHECK: ret i32
  %y = alloca [64 x i32]
  br label %loop
loop:
  %p = phi ptr [ %y, %0 ], [ %next, %loop ]
  %i = phi i32 [ 0, %0 ], [ %j, %loop ]
  store i32 %i, ptr %p
  %next = getelementptr i32, ptr %p, i64 1
  %j = add i32 %i, 1
  %done = icmp eq i32 %j, %n
  br i1 %done, label %exit, label %loop
exit:
  ret i32 %i
}

define void @address_as_integer_escapes(ptr %where) sanitize_thread {
; CHECK-LABEL: @address_as_integer_escapes(
; CHECK: __footrace_write4(ptr %x
  %x = alloca i32
  %i = ptrtoint ptr %x to i64
  store i64 %i, ptr %where
  store i32 1, ptr %x
  ret void
}

; The parameter is the callee's own copy.
define i32 @byval_parameter_is_left_out(ptr byval(i32) %x) sanitize_thread {
; CHECK-LABEL: @byval_parameter_is_left_out(
; CHECK-NOT: __footrace_
; CHECK: ret i32
  %v = load i32, ptr %x
  ret i32 %v
}

define i32 @plain_parameter_is_checked(ptr %x) sanitize_thread {
; CHECK-LABEL: @plain_parameter_is_checked(
; CHECK: __footrace_read4(ptr %x
  %v = load i32, ptr %x
  ret i32 %v
}

; Not split yet: the variable will live in the coroutine's heap frame. Frames of threads cannot be kept there either.
define i32 @local_of_an_unsplit_coroutine_is_checked() presplitcoroutine sanitize_thread {
; CHECK-LABEL: @local_of_an_unsplit_coroutine_is_checked(
; CHECK-NOT: __footrace_enter
; CHECK: __footrace_write4(ptr %x
; CHECK-NOT: __footrace_leave
; CHECK: ret i32
  %x = alloca i32
  store i32 1, ptr %x
  ret i32 0
}

define i64 @copy_into_a_local_checks_the_source_only(ptr %p) sanitize_thread {
; CHECK-LABEL: @copy_into_a_local_checks_the_source_only(
; CHECK: __footrace_read_range(ptr %p, i64 256,
; CHECK-NEXT: call void @llvm.memcpy
; CHECK-NOT: __footrace_write
; CHECK: ret i64
  %x = alloca [256 x i8]
  call void @llvm.memcpy.p0.p0.i64(ptr %x, ptr %p, i64 256, i1 false)
  %v = load i64, ptr %x
  ret i64 %v
}
