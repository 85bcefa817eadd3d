; Which functions are instrumented, and which of their attributes are no longer true afterwards.
; RUN: %footrace -footrace-stats %s 2>%t.stats | FileCheck %s
; RUN: FileCheck %s --check-prefix=STATS < %t.stats
; STATS: 1 left out: no-sanitize

@ifunc = ifunc void (), ptr @resolver
declare void @external()

; no_sanitize("thread"): no plain checks, but synchronisation and the call stack go on.
define i32 @without_the_attribute_only_synchronisation_is_kept(ptr %p) {
; CHECK-LABEL: @without_the_attribute_only_synchronisation_is_kept(
; CHECK: __footrace_enter
; CHECK-NOT: __footrace_read
; CHECK: __footrace_atomic_begin
; CHECK: __footrace_atomic_end_store
; CHECK: __footrace_fence
; CHECK: __footrace_leave
  %v = load i32, ptr %p
  store atomic i32 %v, ptr %p release, align 4
  fence seq_cst
  ret i32 %v
}

define void @disabled_function_is_left_alone(ptr %p) sanitize_thread disable_sanitizer_instrumentation {
; CHECK-LABEL: @disabled_function_is_left_alone(
; CHECK-NOT: __footrace_
; CHECK: ret void
  store atomic i32 1, ptr %p release, align 4
  call void @external()
  ret void
}

define void @naked_function_is_left_alone() naked sanitize_thread {
; CHECK-LABEL: @naked_function_is_left_alone(
; CHECK-NOT: __footrace_
; CHECK: unreachable
  call void asm sideeffect "ret", ""()
  unreachable
}

; Runs before the program is relocated.
define ptr @resolver() sanitize_thread {
; CHECK-LABEL: @resolver(
; CHECK-NOT: __footrace_
; CHECK: ret ptr
  call void @external()
  ret ptr null
}

define void @__tsan_on_report(ptr %p) sanitize_thread {
; CHECK-LABEL: @__tsan_on_report(
; CHECK-NOT: __footrace_
; CHECK: ret void
  store i32 1, ptr %p
  ret void
}

define i32 @pure_function(ptr %p) nosync nounwind willreturn memory(argmem: read) sanitize_thread {
; CHECK: define i32 @pure_function(ptr %p) #[[INSTRUMENTED:[0-9]+]]
  %v = load i32, ptr %p
  ret i32 %v
}

define i32 @caller(ptr %p) nosync sanitize_thread {
; CHECK: define i32 @caller(
; CHECK: call i32 @pure_function(ptr %p){{$}}
  %v = call i32 @pure_function(ptr %p) memory(argmem: read) nosync
  ret i32 %v
}

; Nothing was added, so everything stays true.
define i32 @arithmetic(i32 %a) nosync nounwind willreturn memory(none) sanitize_thread {
; CHECK: define i32 @arithmetic(i32 %a) #[[UNTOUCHED:[0-9]+]]
; CHECK-NEXT: ret i32 %a
  ret i32 %a
}

; CHECK: attributes #[[INSTRUMENTED]] = { nounwind sanitize_thread willreturn }
; CHECK: attributes #[[UNTOUCHED]] = { nosync nounwind sanitize_thread willreturn memory(none) }
