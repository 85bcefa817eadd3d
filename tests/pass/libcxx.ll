; The functions of libc++ (namespace std::__1) are known by their models: a check before an acquire stands for what comes behind it, a check behind a release for
; what came before it, and what may be both needs two.
; RUN: %opt_with_plugin -verify-each -footrace-inline-checks=0 -footrace-preset=bigfoot -passes=footrace -S %s | FileCheck %s

; CHECK-LABEL: @mutex_lock(
; CHECK: call void @__footrace_write8(
; CHECK: call void @_ZNSt3__15mutex4lockEv
; CHECK-NOT: call void @__footrace_write8(
; CHECK: ret void
define void @mutex_lock(ptr %p, ptr %object) sanitize_thread {
  store i64 1, ptr %p
  call void @_ZNSt3__15mutex4lockEv(ptr %object)
  store i64 2, ptr %p
  ret void
}

; CHECK-LABEL: @mutex_unlock(
; CHECK-NOT: call void @__footrace_write8(
; CHECK: call void @_ZNSt3__15mutex6unlockEv
; CHECK: call void @__footrace_write8(
; CHECK: ret void
define void @mutex_unlock(ptr %p, ptr %object) sanitize_thread {
  store i64 1, ptr %p
  call void @_ZNSt3__15mutex6unlockEv(ptr %object)
  store i64 2, ptr %p
  ret void
}

; CHECK-LABEL: @shared_mutex_unlock(
; CHECK: call void @__footrace_write8(
; CHECK: call void @_ZNSt3__119__shared_mutex_base13unlock_sharedEv
; CHECK: call void @__footrace_write8(
; CHECK: ret void
define void @shared_mutex_unlock(ptr %p, ptr %object) sanitize_thread {
  store i64 1, ptr %p
  call void @_ZNSt3__119__shared_mutex_base13unlock_sharedEv(ptr %object)
  store i64 2, ptr %p
  ret void
}

; CHECK-LABEL: @thread_join(
; CHECK: call void @__footrace_write8(
; CHECK: call void @_ZNSt3__16thread4joinEv
; CHECK-NOT: call void @__footrace_write8(
; CHECK: ret void
define void @thread_join(ptr %p, ptr %object) sanitize_thread {
  store i64 1, ptr %p
  call void @_ZNSt3__16thread4joinEv(ptr %object)
  store i64 2, ptr %p
  ret void
}

; CHECK-LABEL: @notify(
; CHECK-NOT: call void @__footrace_write8(
; CHECK: call void @_ZNSt3__118condition_variable10notify_oneEv
; CHECK: call void @__footrace_write8(
; CHECK: ret void
define void @notify(ptr %p, ptr %object) sanitize_thread {
  store i64 1, ptr %p
  call void @_ZNSt3__118condition_variable10notify_oneEv(ptr %object)
  store i64 2, ptr %p
  ret void
}

; CHECK-LABEL: @clock(
; CHECK-COUNT-1: call void @__footrace_write8(
; CHECK-NOT: call void @__footrace_write8(
; CHECK: ret void
define void @clock(ptr %p) sanitize_thread {
  store i64 1, ptr %p
  %now = call i64 @_ZNSt3__16chrono12steady_clock3nowEv()
  store i64 %now, ptr %p
  ret void
}

; Not in the models: a wall.
; CHECK-LABEL: @unknown(
; CHECK: call void @__footrace_write8(
; CHECK: call void @_ZNSt3__17unknownEv
; CHECK: call void @__footrace_write8(
; CHECK: ret void
define void @unknown(ptr %p) sanitize_thread {
  store i64 1, ptr %p
  call void @_ZNSt3__17unknownEv()
  store i64 2, ptr %p
  ret void
}

declare void @_ZNSt3__15mutex4lockEv(ptr)
declare void @_ZNSt3__15mutex6unlockEv(ptr)
declare void @_ZNSt3__119__shared_mutex_base13unlock_sharedEv(ptr)
declare void @_ZNSt3__16thread4joinEv(ptr)
declare void @_ZNSt3__118condition_variable10notify_oneEv(ptr)
declare i64 @_ZNSt3__16chrono12steady_clock3nowEv()
declare void @_ZNSt3__17unknownEv()
