; The same-epoch test of a check of several accesses: one compare per cell where the place in them is known, else per granule, up to four.
; RUN: %opt_with_plugin -verify-each -passes=footrace -footrace-preset=bigfoot -S %s | FileCheck %s

define void @fourteen_bytes(ptr align 8 %p) sanitize_thread {
; CHECK-LABEL: @fourteen_bytes(
; CHECK: %[[FIRST:.*]] = load atomic i64
; CHECK: %[[EPOCH:.*]] = load i64
; CHECK: icmp ne i64 %[[FIRST]], %[[EPOCH]]
; The last two bytes touch the upper granule.
; CHECK: %[[SECOND:.*]] = load i64
; CHECK: icmp ne i64 %[[SECOND]], %[[FIRST]]
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

define void @ten_bytes(ptr align 8 %p) sanitize_thread {
; The last two bytes touch the lower granule alone.
; CHECK-LABEL: @ten_bytes(
; CHECK: %[[FIRST:.*]] = load atomic i64
; CHECK: %[[SECOND:.*]] = load i32
; CHECK: %[[LOW:.*]] = trunc i64 %[[FIRST]] to i32
; CHECK: icmp ne i32 %[[SECOND]], %[[LOW]]
; CHECK: br i1
; CHECK: call preserve_mostcc void @__footrace_unseen_write_range(ptr %p, i64 10, ptr
; CHECK: ret void
  %q = getelementptr i8, ptr %p, i64 8
  store i64 1, ptr %p, align 8
  store i16 3, ptr %q, align 8
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
; The second store says where the first is: in an upper granule, which is compared with the whole cell behind it.
; CHECK-LABEL: @place_in_the_cell_from_another_access(
; CHECK: %[[HALF:.*]] = inttoptr i64 %{{.*}} to ptr
; CHECK: %[[WHOLE:.*]] = inttoptr i64 %{{.*}} to ptr
; CHECK: %[[FIRST:.*]] = load atomic i64, ptr %[[WHOLE]]
; CHECK: %[[SECOND:.*]] = load i32, ptr %[[HALF]]
; CHECK: %[[LOW:.*]] = trunc i64 %[[FIRST]] to i32
; CHECK: icmp ne i32 %[[SECOND]], %[[LOW]]
; CHECK: br i1
; CHECK: call preserve_mostcc void @__footrace_unseen_write_range(ptr %{{.*}}, i64 12, ptr
  %q = getelementptr i8, ptr %p, i64 4
  store i32 1, ptr %p, align 4
  store i64 2, ptr %q, align 8
  ret void
}

define void @twelve_bytes_of_unknown_place(ptr %p) sanitize_thread {
; CHECK-LABEL: @twelve_bytes_of_unknown_place(
; CHECK: load atomic i32
; CHECK-COUNT-3: icmp ne i32
; CHECK-NOT: icmp
; CHECK: br i1
; CHECK: call preserve_mostcc void @__footrace_unseen_write_range(ptr %p, i64 12, ptr
; CHECK: ret void
  %q = getelementptr i8, ptr %p, i64 4
  %r = getelementptr i8, ptr %p, i64 8
  store i32 1, ptr %p, align 4
  store i32 2, ptr %q, align 4
  store i32 3, ptr %r, align 4
  ret void
}

define void @twenty_bytes_of_unknown_place(ptr %p) sanitize_thread {
; CHECK-LABEL: @twenty_bytes_of_unknown_place(
; CHECK-NOT: load atomic
; CHECK: call void @__footrace_write_range(ptr %p, i64 20, ptr
; CHECK: ret void
  %p1 = getelementptr i8, ptr %p, i64 4
  %p2 = getelementptr i8, ptr %p, i64 8
  %p3 = getelementptr i8, ptr %p, i64 12
  %p4 = getelementptr i8, ptr %p, i64 16
  store i32 1, ptr %p, align 4
  store i32 1, ptr %p1, align 4
  store i32 1, ptr %p2, align 4
  store i32 1, ptr %p3, align 4
  store i32 1, ptr %p4, align 4
  ret void
}

declare void @unknown()

define void @reads_in_a_loop(ptr align 8 %p, i64 %n) sanitize_thread {
; Data that several threads read: all words alike, and the first of readers that the thread knows.
; CHECK-LABEL: @reads_in_a_loop(
; CHECK: %[[FIRST:.*]] = load atomic i64, ptr %{{.*}} monotonic
; CHECK: %[[EPOCH:.*]] = load i64, ptr %{{.*}}
; CHECK: icmp ne i64 %[[FIRST]], %[[EPOCH]]
; CHECK: icmp ne i64 %{{.*}}, %[[FIRST]]
; CHECK: icmp ne i64 %{{.*}}, %[[FIRST]]
; CHECK: br i1
; CHECK: and i64 %[[FIRST]], 15
; CHECK: %[[READERS:.*]] = load i64, ptr %{{.*}}
; CHECK: icmp ne i64 %[[FIRST]], %[[READERS]]
; CHECK: icmp ne i64 %{{.*}}, %[[FIRST]]
; CHECK: icmp ne i64 %{{.*}}, %[[FIRST]]
; CHECK: br i1
; CHECK: call preserve_mostcc void @__footrace_unseen_read_range(ptr %p, i64 24, ptr
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %q = getelementptr i8, ptr %p, i64 8
  %r = getelementptr i8, ptr %p, i64 16
  %a = load volatile i64, ptr %p, align 8
  %b = load volatile i64, ptr %q, align 8
  %c = load volatile i64, ptr %r, align 8
  call void @unknown()
  %next = add i64 %i, 1
  %end = icmp eq i64 %next, %n
  br i1 %end, label %exit, label %loop
exit:
  ret void
}
