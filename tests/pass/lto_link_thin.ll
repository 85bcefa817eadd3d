; Thin LTO imports a body and drops it again before the checks are placed: what it may do is noted before.
; RUN: %opt_with_plugin -footrace-inline-checks=0 -passes='thinlto<O2>' %s -S | FileCheck %s
; A module without the mark of the compile step is left alone.
; RUN: grep -v -e footrace-link-step -e module.flags %s > %t.ll
; RUN: %opt_with_plugin -footrace-inline-checks=0 -passes='thinlto<O2>' %t.ll -S | FileCheck %s --check-prefix=ALONE
; ALONE-NOT: __footrace_
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

@shared = external global i32
@state = external global i32
@mutex = external global i64
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare void @not_imported(i32)

define available_externally void @imported(i32 %n) noinline {
  %v = load i32, ptr @shared
  store i32 %v, ptr @state
  ret void
}

define available_externally void @imported_locks(i32 %n) noinline {
  %l = call i32 @pthread_mutex_lock(ptr @mutex)
  %v = load i32, ptr @shared
  store i32 %v, ptr @state
  %r = call i32 @pthread_mutex_unlock(ptr @mutex)
  ret void
}

; CHECK-LABEL: define void @imported_call_keeps_the_history(
; CHECK: call void @__footrace_write4(
; CHECK-NOT: call void @__footrace_write4(
; CHECK: ret void
define void @imported_call_keeps_the_history(i32 %n) sanitize_thread {
  store i32 1, ptr @shared
  call void @imported(i32 %n)
  store i32 2, ptr @shared
  ret void
}

; CHECK-LABEL: define void @imported_call_that_locks_kills_it(
; CHECK: call void @__footrace_write4(
; CHECK: call void @imported_locks(
; CHECK: call void @__footrace_write4(
; CHECK: ret void
define void @imported_call_that_locks_kills_it(i32 %n) sanitize_thread {
  store i32 1, ptr @shared
  call void @imported_locks(i32 %n)
  store i32 2, ptr @shared
  ret void
}

; CHECK-LABEL: define void @other_call_kills_it(
; CHECK: call void @__footrace_write4(
; CHECK: call void @not_imported(
; CHECK: call void @__footrace_write4(
; CHECK: ret void
define void @other_call_kills_it(i32 %n) sanitize_thread {
  store i32 1, ptr @shared
  call void @not_imported(i32 %n)
  store i32 2, ptr @shared
  ret void
}

!llvm.module.flags = !{!0}
!0 = !{i32 1, !"footrace-link-step", !"bigfoot"}
