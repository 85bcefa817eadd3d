; Memory that a function allocates is left out when nobody else can get its address, and only then.
; RUN: %footrace -footrace-stats %s 2>%t.stats | FileCheck %s
; RUN: FileCheck %s --check-prefix=STATS < %t.stats
; RUN: %footrace -footrace-skip-nonescaping-heap=0 %s | FileCheck %s --check-prefix=ALL
; STATS: 3 left out: non-escaping-heap

@global = global ptr null
declare noalias ptr @malloc(i64)
declare void @free(ptr)
declare i32 @clock_gettime(i32, ptr)
declare i32 @pthread_create(ptr, ptr, ptr, ptr)
declare ptr @entry(ptr)

define i32 @scratch_memory_is_left_out() sanitize_thread {
; CHECK-LABEL: @scratch_memory_is_left_out(
; CHECK-NOT: __footrace_write
; CHECK-NOT: __footrace_read
; CHECK: ret i32
; ALL-LABEL: @scratch_memory_is_left_out(
; ALL: __footrace_write4
; ALL: __footrace_read4
  %p = call noalias ptr @malloc(i64 16)
  store i32 1, ptr %p
  %t = call i32 @clock_gettime(i32 0, ptr %p)
  %v = load i32, ptr %p
  call void @free(ptr %p)
  ret i32 %v
}

define void @published_memory_is_checked_even_before() sanitize_thread {
; CHECK-LABEL: @published_memory_is_checked_even_before(
; CHECK: __footrace_write4(ptr %p
  %p = call noalias ptr @malloc(i64 16)
  store i32 1, ptr %p
  store ptr %p, ptr @global
  ret void
}

define void @argument_of_a_thread_is_checked() sanitize_thread {
; CHECK-LABEL: @argument_of_a_thread_is_checked(
; CHECK: __footrace_write4(ptr %p
; CHECK: pthread_create
  %handle = alloca i64
  %p = call noalias ptr @malloc(i64 16)
  store i32 1, ptr %p
  %r = call i32 @pthread_create(ptr %handle, ptr null, ptr @entry, ptr %p)
  ret void
}

define ptr @returned_memory_is_checked() sanitize_thread {
; CHECK-LABEL: @returned_memory_is_checked(
; CHECK: __footrace_write4(ptr %p
  %p = call noalias ptr @malloc(i64 16)
  store i32 1, ptr %p
  ret ptr %p
}

define void @handle_of_a_thread_is_left_out() sanitize_thread {
; CHECK-LABEL: @handle_of_a_thread_is_left_out(
; CHECK-NOT: __footrace_write8
; CHECK: ret void
  %handle = call noalias ptr @malloc(i64 8)
  store i64 0, ptr %handle
  %r = call i32 @pthread_create(ptr %handle, ptr null, ptr @entry, ptr null)
  ret void
}
