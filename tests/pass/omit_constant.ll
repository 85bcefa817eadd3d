; Memory that nobody writes cannot race.
; RUN: %footrace -footrace-stats %s 2>%t.stats | FileCheck %s
; RUN: FileCheck %s --check-prefix=STATS < %t.stats
; RUN: %footrace -footrace-skip-constant=0 -footrace-skip-vtable=0 %s | FileCheck %s --check-prefix=ALL
; STATS-DAG: 3 left out: constant
; STATS-DAG: 1 left out: vtable-slot

@constant = constant [4 x i32] [i32 1, i32 2, i32 3, i32 4]
@elsewhere = external constant i32
@variable = global i32 0

define i32 @constants_are_left_out(i64 %i) sanitize_thread {
; CHECK-LABEL: @constants_are_left_out(
; CHECK-NOT: __footrace_
; CHECK: ret i32
; ALL-LABEL: @constants_are_left_out(
; ALL: __footrace_read4
; ALL: __footrace_read4(ptr @elsewhere
  %p = getelementptr i32, ptr @constant, i64 %i
  %a = load i32, ptr %p
  %b = load i32, ptr @elsewhere
  %c = add i32 %a, %b
  ret i32 %c
}

define i32 @variable_is_checked() sanitize_thread {
; CHECK-LABEL: @variable_is_checked(
; CHECK: __footrace_read4(ptr @variable
  %v = load i32, ptr @variable
  ret i32 %v
}

define i32 @constant_or_variable_is_checked(i1 %c) sanitize_thread {
; CHECK-LABEL: @constant_or_variable_is_checked(
; CHECK: __footrace_read4(ptr %p
  %p = select i1 %c, ptr @constant, ptr @variable
  %v = load i32, ptr %p
  ret i32 %v
}

define i32 @invariant_load_is_left_out(ptr %p) sanitize_thread {
; CHECK-LABEL: @invariant_load_is_left_out(
; CHECK-NOT: __footrace_
; CHECK: ret i32
  %v = load i32, ptr %p, !invariant.load !0
  ret i32 %v
}

; The object's vtable field can race (with its constructor or destructor); the vtable itself is constant.
define ptr @vtable_field_is_checked_its_slots_are_not(ptr %object) sanitize_thread {
; CHECK-LABEL: @vtable_field_is_checked_its_slots_are_not(
; CHECK: __footrace_read8(ptr %object
; CHECK-NEXT: %vtable = load ptr, ptr %object
; CHECK-NOT: __footrace_read
; CHECK: ret ptr
; ALL-LABEL: @vtable_field_is_checked_its_slots_are_not(
; ALL: __footrace_read8(ptr %object
; ALL: __footrace_read8(ptr %slot
  %vtable = load ptr, ptr %object, !tbaa !1
  %slot = getelementptr ptr, ptr %vtable, i64 2
  %f = load ptr, ptr %slot
  ret ptr %f
}

define void @store_of_the_vtable_field_is_checked(ptr %object, ptr %vtable) sanitize_thread {
; CHECK-LABEL: @store_of_the_vtable_field_is_checked(
; CHECK: __footrace_write8(ptr %object
  store ptr %vtable, ptr %object, !tbaa !1
  ret void
}

define ptr @slot_of_an_ordinary_table_is_checked(ptr %object) sanitize_thread {
; CHECK-LABEL: @slot_of_an_ordinary_table_is_checked(
; CHECK: __footrace_read8(ptr %object
; CHECK: __footrace_read8(ptr %slot
  %table = load ptr, ptr %object
  %slot = getelementptr ptr, ptr %table, i64 2
  %f = load ptr, ptr %slot
  ret ptr %f
}

!0 = !{}
!1 = !{!2, !2, i64 0}
!2 = !{!"vtable pointer", !3, i64 0}
!3 = !{!"Simple C++ TBAA"}
