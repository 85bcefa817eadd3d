; A thread-local variable is left out when its address stays with its thread.
; RUN: %footrace -footrace-stats %s 2>%t.stats | FileCheck %s
; RUN: FileCheck %s --check-prefix=STATS < %t.stats
; RUN: %footrace -footrace-skip-tls=0 %s | FileCheck %s --check-prefix=ALL
; STATS: 3 left out: private-thread-local

@private = internal thread_local global i32 0
@array = internal thread_local global [4 x i32] zeroinitializer
@published = internal thread_local global i32 0
@returned = internal thread_local global i32 0
@exported = thread_local global i32 0
@plain = internal global i32 0
declare void @keeps(ptr)

define void @private_variable_is_left_out(i64 %i) sanitize_thread {
; CHECK-LABEL: @private_variable_is_left_out(
; CHECK-NOT: __footrace_
; CHECK: ret void
; ALL-LABEL: @private_variable_is_left_out(
; ALL: __footrace_read4(ptr %p
; ALL: __footrace_write4(ptr %p
; ALL: __footrace_write4(ptr %e
  %p = call ptr @llvm.threadlocal.address.p0(ptr @private)
  %v = load i32, ptr %p
  %w = add i32 %v, 1
  store i32 %w, ptr %p
  %a = call ptr @llvm.threadlocal.address.p0(ptr @array)
  %e = getelementptr i32, ptr %a, i64 %i
  store i32 0, ptr %e
  ret void
}

define void @variable_that_is_passed_on_is_checked() sanitize_thread {
; CHECK-LABEL: @variable_that_is_passed_on_is_checked(
; CHECK: __footrace_write4(ptr %p
  %p = call ptr @llvm.threadlocal.address.p0(ptr @published)
  store i32 1, ptr %p
  ret void
}
define void @another_function_publishes() sanitize_thread {
  %p = call ptr @llvm.threadlocal.address.p0(ptr @published)
  call void @keeps(ptr %p)
  ret void
}

define ptr @variable_whose_address_is_returned_is_checked() sanitize_thread {
; CHECK-LABEL: @variable_whose_address_is_returned_is_checked(
; CHECK: __footrace_write4(ptr %p
  %p = call ptr @llvm.threadlocal.address.p0(ptr @returned)
  store i32 1, ptr %p
  ret ptr %p
}

define void @exported_variable_is_checked() sanitize_thread {
; CHECK-LABEL: @exported_variable_is_checked(
; CHECK: __footrace_write4(ptr %p
  %p = call ptr @llvm.threadlocal.address.p0(ptr @exported)
  store i32 1, ptr %p
  ret void
}

define void @ordinary_static_is_checked() sanitize_thread {
; CHECK-LABEL: @ordinary_static_is_checked(
; CHECK: __footrace_write4(ptr @plain
  store i32 1, ptr @plain
  ret void
}
