; Shadow proxies: variables that only this module knows and that are always checked together have one check, which stands for both. Each function
; below is about its own variables, and one condition.
; RUN: %footrace -footrace-preset=redcard %s | FileCheck %s --check-prefixes=CHECK,ONE
; RUN: %footrace -footrace-preset=bigfoot %s | FileCheck %s --check-prefixes=CHECK,ONE
; RUN: %footrace -footrace-preset=fasttrack %s | FileCheck %s --check-prefixes=CHECK,TWO
; RUN: %footrace -footrace-preset=bigfoot -footrace-precision=address %s | FileCheck %s --check-prefixes=CHECK,TWO
; RUN: %footrace -footrace-preset=redcard -footrace-precision=address %s | FileCheck %s --check-prefixes=CHECK,TWO
; RUN: %footrace -footrace-preset=bigfoot -footrace-proxies=0 %s | FileCheck %s --check-prefixes=CHECK,TWO
; RUN: %footrace -footrace-preset=bigfoot -footrace-note-accesses %s | FileCheck %s --check-prefix=NOTE
; RUN: %footrace -footrace-preset=bigfoot -footrace-stats %s 2>&1 >/dev/null | FileCheck %s --check-prefix=STATS
target triple = "x86_64-pc-linux-gnu"

; STATS: 4 covered: redcard: checked through its proxy
; STATS: 2 covered: redcard: proxy of what is always checked with it

@f = internal global i64 0, align 8
@g = internal global i64 0, align 8
@only_f = internal global i64 0, align 8
@only_g = internal global i64 0, align 8
@kind_f = internal global i64 0, align 8
@kind_g = internal global i64 0, align 8
@sync_f = internal global i64 0, align 8
@sync_g = internal global i64 0, align 8
@branch_f = internal global i64 0, align 8
@branch_g = internal global i64 0, align 8
@known_f = global i64 0, align 8
@known_g = internal global i64 0, align 8
@used_f = internal global i64 0, align 8
@used_g = internal global i64 0, align 8
@escaped_f = internal global i64 0, align 8
@escaped_g = internal global i64 0, align 8
@atomic_f = internal global i64 0, align 8
@atomic_g = internal global i64 0, align 8
@volatile_f = internal global i64 0, align 8
@volatile_g = internal global i64 0, align 8
@array = internal global [8 x i64] zeroinitializer, align 8
@array_g = internal global i64 0, align 8
@row = internal global [4 x i64] zeroinitializer, align 8
@llvm.used = appending global [1 x ptr] [ptr @used_f]
declare i32 @pthread_mutex_unlock(ptr)
declare void @keep(ptr)
@m = external global [40 x i8]

; The record of the check says which access of @g it stands for (role 5), where that is, and through which byte.
; ONE: @__footrace_sites.both = private constant
; ONE-SAME: i32 0, i32 [[#mul(5,16777216) + mul(2,65536)]], i32 8, i32 -80],
; ONE-SAME: ptrtoint (ptr @g to i64)
; ONE-SAME: ptrtoint (ptr @f to i64)

define void @both(i64 %v) sanitize_thread {
; CHECK-LABEL: @both(
; ONE: call void @__footrace_write8(ptr @f,
; ONE-NOT: @__footrace_write
; TWO: call void @__footrace_write8(ptr @f,
; TWO: call void @__footrace_write8(ptr @g,
; CHECK: ret void
; NOTE-LABEL: @both(
; NOTE: call void @__footrace_write8(ptr @f, ptr {{.*}}@__footrace_sites.both, i64 16))
; NOTE-NEXT: call void @__footrace_note_access(i32 2)
; NOTE-NEXT: call void @__footrace_write_strided(ptr @g, i64 8, i64 sub (i64 ptrtoint (ptr @f to i64), i64 ptrtoint (ptr @g to i64)), i64 1, ptr {{.*}}@__footrace_sites.both, i64 16))
  store i64 %v, ptr @f
  store i64 %v, ptr @g
  ret void
}
define i64 @both_the_other_way_round() sanitize_thread {
; CHECK-LABEL: @both_the_other_way_round(
; ONE: call void @__footrace_read8(ptr @f,
; ONE-NEXT: load i64, ptr @g
; ONE-NOT: @__footrace_read
; TWO: call void @__footrace_read8(ptr @g,
; TWO: call void @__footrace_read8(ptr @f,
; CHECK: ret i64
  %g = load i64, ptr @g
  %f = load i64, ptr @f
  %sum = add i64 %f, %g
  ret i64 %sum
}

; A whole row that is always accessed as one is checked in its first cell.
define void @whole_row(i64 %v) sanitize_thread {
; CHECK-LABEL: @whole_row(
; ONE: call void @__footrace_write8(ptr @row,
; ONE-NOT: @__footrace_write
; CHECK: ret void
  store i64 %v, ptr @row
  store i64 %v, ptr getelementptr (i8, ptr @row, i64 8)
  store i64 %v, ptr getelementptr (i8, ptr @row, i64 16)
  ret void
}

define void @with_a_third_function_for_one_of_them(i64 %v) sanitize_thread {
; CHECK-LABEL: @with_a_third_function_for_one_of_them(
; CHECK: call void @__footrace_write8(ptr @only_f,
; CHECK: call void @__footrace_write8(ptr @only_g,
; CHECK: ret void
  store i64 %v, ptr @only_f
  store i64 %v, ptr @only_g
  ret void
}
define i64 @third_function() sanitize_thread {
; CHECK-LABEL: @third_function(
; CHECK: call void @__footrace_read8(ptr @only_f,
; CHECK: ret i64
  %f = load i64, ptr @only_f
  ret i64 %f
}

define i64 @different_kinds(i64 %v) sanitize_thread {
; CHECK-LABEL: @different_kinds(
; CHECK: call void @__footrace_write8(ptr @kind_f,
; CHECK: call void @__footrace_read8(ptr @kind_g,
; CHECK: ret i64
  store i64 %v, ptr @kind_f
  %g = load i64, ptr @kind_g
  ret i64 %g
}

define void @release_between(i64 %v) sanitize_thread {
; CHECK-LABEL: @release_between(
; CHECK: call void @__footrace_write8(ptr @sync_f,
; CHECK: call void @__footrace_write8(ptr @sync_g,
; CHECK: ret void
  store i64 %v, ptr @sync_f
  call i32 @pthread_mutex_unlock(ptr @m)
  store i64 %v, ptr @sync_g
  ret void
}

define void @branch_between(i64 %v, i1 %c) sanitize_thread {
; CHECK-LABEL: @branch_between(
; CHECK-DAG: call void @__footrace_write8(ptr @branch_f,
; CHECK-DAG: call void @__footrace_write8(ptr @branch_g,
; CHECK: ret void
  store i64 %v, ptr @branch_f
  br i1 %c, label %then, label %end
then:
  store i64 %v, ptr @branch_g
  br label %end
end:
  ret void
}

define void @name_that_others_know(i64 %v) sanitize_thread {
; CHECK-LABEL: @name_that_others_know(
; CHECK: call void @__footrace_write8(ptr @known_f,
; CHECK: call void @__footrace_write8(ptr @known_g,
; CHECK: ret void
  store i64 %v, ptr @known_f
  store i64 %v, ptr @known_g
  ret void
}

define void @used_attribute(i64 %v) sanitize_thread {
; CHECK-LABEL: @used_attribute(
; CHECK: call void @__footrace_write8(ptr @used_f,
; CHECK: call void @__footrace_write8(ptr @used_g,
; CHECK: ret void
  store i64 %v, ptr @used_f
  store i64 %v, ptr @used_g
  ret void
}

define void @address_escapes(i64 %v) sanitize_thread {
; CHECK-LABEL: @address_escapes(
; CHECK: call void @__footrace_write8(ptr @escaped_f,
; CHECK: call void @__footrace_write8(ptr @escaped_g,
; CHECK: ret void
  store i64 %v, ptr @escaped_f
  store i64 %v, ptr @escaped_g
  call void @keep(ptr @escaped_f)
  ret void
}

define void @atomic_elsewhere(i64 %v) sanitize_thread {
; CHECK-LABEL: @atomic_elsewhere(
; CHECK: call void @__footrace_write8(ptr @atomic_f,
; CHECK: call void @__footrace_write8(ptr @atomic_g,
; CHECK: ret void
  store i64 %v, ptr @atomic_f
  store i64 %v, ptr @atomic_g
  %old = atomicrmw add ptr @atomic_f, i64 1 seq_cst
  ret void
}

define void @volatile_access(i64 %v) sanitize_thread {
; CHECK-LABEL: @volatile_access(
; CHECK: call void @__footrace_write8(ptr @volatile_f,
; CHECK: call void @__footrace_write8(ptr @volatile_g,
; CHECK: ret void
  store volatile i64 %v, ptr @volatile_f
  store i64 %v, ptr @volatile_g
  ret void
}

define void @unknown_element(i64 %v, i64 %i) sanitize_thread {
; CHECK-LABEL: @unknown_element(
; CHECK: call void @__footrace_write8(ptr %p,
; CHECK: call void @__footrace_write8(ptr @array_g,
; CHECK: ret void
  %p = getelementptr i64, ptr @array, i64 %i
  store i64 %v, ptr %p
  store i64 %v, ptr @array_g
  ret void
}
