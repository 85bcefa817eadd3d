; The same-epoch test of a check of several accesses: one compare per cell, up to four cells, where the place in them is known.
; RUN: %opt_with_plugin -verify-each -passes=footrace -footrace-preset=bigfoot -S %s | FileCheck %s

define void @fourteen_bytes(ptr align 8 %p) sanitize_thread {
; CHECK-LABEL: @fourteen_bytes(
; CHECK: load atomic i64
; CHECK: load atomic i64
; The last two bytes of the second cell do not count.
; CHECK: and i64 %{{.*}}, -193
; CHECK: br i1
; CHECK: call preserve_mostcc void @__footrace_unseen_write_range(ptr %p, i64 14, ptr
; CHECK-NOT: @__footrace_{{(unseen_)?}}write
; CHECK: ret void
  %q = getelementptr i8, ptr %p, i64 8
  %r = getelementptr i8, ptr %p, i64 12
  store i64 1, ptr %p, align 8
  store i32 2, ptr %q, align 8
  store i16 3, ptr %r, align 4
  ret void
}

define void @forty_bytes_are_left_to_the_runtime(ptr align 8 %p) sanitize_thread {
; CHECK-LABEL: @forty_bytes_are_left_to_the_runtime(
; CHECK-NOT: load atomic
; CHECK: call void @__footrace_write_range(ptr %p, i64 40, ptr
; CHECK: ret void
  %p1 = getelementptr i8, ptr %p, i64 8
  %p2 = getelementptr i8, ptr %p, i64 16
  %p3 = getelementptr i8, ptr %p, i64 24
  %p4 = getelementptr i8, ptr %p, i64 32
  store i64 1, ptr %p, align 8
  store i64 1, ptr %p1, align 8
  store i64 1, ptr %p2, align 8
  store i64 1, ptr %p3, align 8
  store i64 1, ptr %p4, align 8
  ret void
}

define void @place_in_the_cell_from_another_access(ptr %p) sanitize_thread {
; The second store says where the first is.
; CHECK-LABEL: @place_in_the_cell_from_another_access(
; CHECK: load atomic i64
; CHECK: load atomic i64
; CHECK: and i64 %{{.*}}, -16
; CHECK: br i1
; CHECK: call preserve_mostcc void @__footrace_unseen_write_range(ptr %{{.*}}, i64 12, ptr
  %q = getelementptr i8, ptr %p, i64 4
  store i32 1, ptr %p, align 4
  store i64 2, ptr %q, align 8
  ret void
}
