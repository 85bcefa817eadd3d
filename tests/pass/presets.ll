; What a preset wants of the runtime is told at registration; modules that want different things do not share a constructor.
; RUN: %footrace -footrace-preset=fasttrack %s | FileCheck %s --check-prefix=PLAIN
; RUN: %footrace -footrace-preset=redcard %s | FileCheck %s --check-prefix=PLAIN
; RUN: %footrace -footrace-preset=slimstate %s | FileCheck %s --check-prefix=COMPRESSED
; RUN: %footrace -footrace-preset=slimcard %s | FileCheck %s --check-prefix=COMPRESSED
; RUN: %footrace -footrace-preset=bigfoot %s | FileCheck %s --check-prefix=COMPRESSED
; PLAIN: define linkonce_odr hidden void @__footrace_module_ctor()
; PLAIN: call void @__footrace_register_module({{.*}}, ptr @__footrace_module_ctor, i32 0)
; COMPRESSED: define linkonce_odr hidden void @__footrace_module_ctor.1()
; COMPRESSED: call void @__footrace_register_module({{.*}}, ptr @__footrace_module_ctor.1, i32 1)

; The second check in a span is what redcard removes, and what fasttrack keeps.
; RUN: %footrace -footrace-preset=fasttrack %s | FileCheck %s --check-prefix=BOTH
; RUN: %footrace -footrace-preset=slimstate %s | FileCheck %s --check-prefix=BOTH
; RUN: %footrace -footrace-preset=redcard %s | FileCheck %s --check-prefix=ONE
; RUN: %footrace -footrace-preset=slimcard %s | FileCheck %s --check-prefix=ONE
define i32 @same_address_twice(ptr %p) sanitize_thread {
; BOTH-LABEL: @same_address_twice(
; BOTH: call void @__footrace_read4(
; BOTH: call void @__footrace_read4(
; BOTH: ret i32
; ONE-LABEL: @same_address_twice(
; ONE: call void @__footrace_read4(
; ONE-NOT: call void @__footrace_read4(
; ONE: ret i32
  %a = load volatile i32, ptr %p
  %b = load volatile i32, ptr %p
  %sum = add i32 %a, %b
  ret i32 %sum
}
