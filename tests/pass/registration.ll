; Every instrumented object carries the same constructor and destructor in a group: one pair per linked module.
; RUN: %footrace %s | FileCheck %s
; RUN: %footrace %s | %opt_with_plugin -passes=footrace -S | FileCheck %s --check-prefix=ONCE
; RUN: opt -passes=verify -S < /dev/null | %footrace | FileCheck %s --check-prefix=EMPTY

; CHECK-DAG: @__start_footrace_sites = extern_weak hidden constant i8
; CHECK-DAG: @__stop_footrace_sites = extern_weak hidden constant i8
; CHECK-DAG: @llvm.global_ctors = {{.*}} { i32 1, ptr @__footrace_module_ctor, ptr @__footrace_module_ctor }
; CHECK-DAG: @llvm.global_dtors = {{.*}} { i32 1, ptr @__footrace_module_dtor, ptr @__footrace_module_dtor }
; The section exists even if nothing was checked.
; CHECK-DAG: @__footrace_sites.__footrace_module_ctor = {{.*}}, section "footrace_sites", comdat($__footrace_module_ctor), align 16
; CHECK: define linkonce_odr hidden void @__footrace_module_ctor(){{.*}} comdat {
; CHECK-NEXT: call void @__footrace_register_module(ptr @__start_footrace_sites, ptr @__stop_footrace_sites, ptr @__footrace_module_ctor, i32 0)
; CHECK: define linkonce_odr hidden void @__footrace_module_dtor(){{.*}} comdat {
; CHECK-NEXT: call void @__footrace_unregister_module(ptr @__start_footrace_sites)

; A second run finds the module flag and does nothing.
; ONCE-LABEL: @one_store(
; ONCE: call void @__footrace_write4(
; ONCE-NOT: call void @__footrace_write4(

; A module without code has nothing to register.
; EMPTY-NOT: __footrace

define void @one_store(ptr %p) sanitize_thread {
  store i32 0, ptr %p
  ret void
}
