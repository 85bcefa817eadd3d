; The shadow call stack follows returns, exceptions, tail calls and functions that return twice.
; RUN: %footrace %s | FileCheck %s
; RUN: %footrace -footrace-func-entry=0 %s | FileCheck %s --check-prefix=OFF
; OFF-NOT: call {{.*}} @__footrace_{{enter|leave|resume}}

declare void @external()
declare i32 @returns_int(ptr)
declare i32 @setjmp(ptr) returns_twice
declare i32 @__gxx_personality_v0(...)

define void @enter_follows_the_allocas(i1 %c) sanitize_thread {
; CHECK-LABEL: @enter_follows_the_allocas(
; CHECK-NEXT: %x = alloca i32
; CHECK-NEXT: %[[PC:.*]] = call ptr @llvm.returnaddress(i32 0)
; CHECK-NEXT: %[[TOP:.*]] = call ptr @__footrace_enter(ptr %[[PC]])
; CHECK: call void @__footrace_leave(ptr %[[TOP]])
; CHECK-NEXT: ret void
; CHECK: call void @__footrace_leave(ptr %[[TOP]])
; CHECK-NEXT: ret void
  %x = alloca i32
  call void @external()
  br i1 %c, label %a, label %b
a:
  ret void
b:
  ret void
}

define i32 @function_without_checks_and_calls_has_no_frame(i32 %a) sanitize_thread {
; CHECK-LABEL: @function_without_checks_and_calls_has_no_frame(
; CHECK-NEXT: %m = call i32 @llvm.ctpop
; CHECK-NEXT: ret i32
  %m = call i32 @llvm.ctpop.i32(i32 %a)
  ret i32 %m
}

define i32 @leave_precedes_a_musttail_call(ptr %p) sanitize_thread {
; CHECK-LABEL: @leave_precedes_a_musttail_call(
; CHECK: call void @__footrace_leave(
; CHECK-NEXT: %r = musttail call i32 @returns_int(ptr %p)
; CHECK-NEXT: ret i32 %r
  store i32 1, ptr %p
  %r = musttail call i32 @returns_int(ptr %p)
  ret i32 %r
}

define i32 @leave_follows_an_ordinary_tail_call(ptr %p) sanitize_thread {
; CHECK-LABEL: @leave_follows_an_ordinary_tail_call(
; CHECK: %r = tail call i32 @returns_int(ptr %p)
; CHECK-NEXT: call void @__footrace_leave(
; CHECK-NEXT: ret i32 %r
  %r = tail call i32 @returns_int(ptr %p)
  ret i32 %r
}

define void @landing_pad_resumes_the_frame(ptr %p) sanitize_thread personality ptr @__gxx_personality_v0 {
; CHECK-LABEL: @landing_pad_resumes_the_frame(
; CHECK: %[[TOP:.*]] = call ptr @__footrace_enter(
; CHECK: landingpad
; CHECK-NEXT: cleanup
; CHECK-NEXT: call void @__footrace_resume(ptr %[[TOP]])
; CHECK-NEXT: call void @__footrace_write4(ptr %p
; CHECK-NEXT: store i32 1
; CHECK-NEXT: resume { ptr, i32 }
  invoke void @external() to label %ok unwind label %pad
ok:
  ret void
pad:
  %e = landingpad {ptr, i32} cleanup
  store i32 1, ptr %p
  resume {ptr, i32} %e
}

define i32 @second_return_resumes_the_frame(ptr %p) sanitize_thread {
; CHECK-LABEL: @second_return_resumes_the_frame(
; CHECK: %[[TOP:.*]] = call ptr @__footrace_enter(
; CHECK: %r = call i32 @setjmp(ptr %p)
; CHECK-NEXT: call void @__footrace_resume(ptr %[[TOP]])
  %r = call i32 @setjmp(ptr %p) returns_twice
  ret i32 %r
}

define i32 @ordinary_call_does_not_resume(ptr %p) sanitize_thread {
; CHECK-LABEL: @ordinary_call_does_not_resume(
; CHECK-NOT: __footrace_resume
; CHECK: ret i32
  %r = call i32 @returns_int(ptr %p)
  ret i32 %r
}

define void @path_that_does_not_return_needs_no_leave() sanitize_thread {
; CHECK-LABEL: @path_that_does_not_return_needs_no_leave(
; CHECK-NOT: __footrace_leave
; CHECK: unreachable
  call void @external()
  unreachable
}
