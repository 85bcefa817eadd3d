; The same-epoch test in line: the call is made only when the shadow word is not the thread's epoch.
; RUN: %opt_with_plugin -verify-each -passes=footrace -S %s | FileCheck %s

; CHECK: @__footrace_now = external thread_local(initialexec) global [17 x i64]

define i64 @aligned_word(ptr %p) sanitize_thread {
; CHECK-LABEL: @aligned_word(
; CHECK: %[[CELL:.*]] = add i64 %{{.*}}, 17592186044424
; CHECK: %[[WORD:.*]] = load atomic i64, ptr %{{.*}} monotonic
; CHECK: %[[EPOCH:.*]] = load i64, ptr %{{.*}}
; CHECK: icmp ne i64 %[[WORD]], %[[EPOCH]]
; CHECK: br i1 %{{.*}}, label %[[SLOW:.*]], label %[[FAST:.*]], !prof
; CHECK: call preserve_mostcc void @__footrace_unseen_read8(ptr %p, ptr
; CHECK: load i64, ptr %p
  %v = load i64, ptr %p, align 8
  ret i64 %v
}

define i64 @words_in_a_loop(ptr %p) sanitize_thread {
; Not of this epoch, but perhaps by readers that the thread knows: worth a second test in loops only.
; CHECK-LABEL: @words_in_a_loop(
; CHECK: %[[WORD:.*]] = load atomic i64, ptr %{{.*}} monotonic
; CHECK: %[[EPOCH:.*]] = load i64, ptr %{{.*}}
; CHECK: icmp ne i64 %[[WORD]], %[[EPOCH]]
; CHECK: br i1
; CHECK: %[[SLOT:.*]] = and i64 %[[WORD]], 15
; CHECK: add i64 %[[SLOT]], 1
; CHECK: %[[READERS:.*]] = load i64, ptr %{{.*}}
; CHECK: icmp ne i64 %[[WORD]], %[[READERS]]
; CHECK: br i1
; CHECK: call preserve_mostcc void @__footrace_unseen_read8(ptr %at, ptr
entry:
  br label %loop
loop:
  %at = phi ptr [ %p, %entry ], [ %next, %loop ]
  %next = load ptr, ptr %at, align 8
  %end = icmp eq ptr %next, null
  br i1 %end, label %exit, label %loop
exit:
  ret i64 0
}

define void @granule_of_unknown_place(ptr %p) sanitize_thread {
; The address says which half of the cell it is, in the W word this time.
; CHECK-LABEL: @granule_of_unknown_place(
; CHECK: %[[NUMBER:.*]] = ptrtoint ptr %p to i64
; CHECK: %[[HALF:.*]] = and i64 %[[NUMBER]], 4
; CHECK: add i64 %{{.*}}, %[[HALF]]
; CHECK: add i64 %{{.*}}, 17592186044416
; CHECK: %[[WORD:.*]] = load atomic i32, ptr %{{.*}} monotonic
; CHECK: %[[EPOCH:.*]] = load i32, ptr %{{.*}}
; CHECK: icmp ne i32 %[[WORD]], %[[EPOCH]]
; CHECK-NEXT: br i1
; CHECK: call preserve_mostcc void @__footrace_unseen_write4(ptr %p, ptr
  store i32 1, ptr %p, align 4
  ret void
}

define void @granule_of_known_place(ptr align 8 %p) sanitize_thread {
; CHECK-LABEL: @granule_of_known_place(
; CHECK-NOT: and i64 %{{.*}}, 4
; CHECK: add i64 %{{.*}}, 17592186044420
; CHECK-NEXT: inttoptr
; CHECK-NEXT: load atomic i32
; CHECK: icmp ne i32
; CHECK-NEXT: br i1
; CHECK: call preserve_mostcc void @__footrace_unseen_write4(
  %q = getelementptr i8, ptr %p, i64 4
  store i32 1, ptr %q, align 4
  ret void
}

define i8 @byte(ptr %p) sanitize_thread {
; The word of a granule stands for all its bytes.
; CHECK-LABEL: @byte(
; CHECK: load atomic i32
; CHECK: icmp ne i32
; CHECK-NEXT: br i1
; CHECK: call preserve_mostcc void @__footrace_unseen_read1(ptr %p, ptr
  %v = load i8, ptr %p, align 1
  ret i8 %v
}

define <2 x i64> @two_cells(ptr %p) sanitize_thread {
; The second word is compared with the first, so that both may be of known readers as well.
; CHECK-LABEL: @two_cells(
; CHECK: %[[FIRST:.*]] = load atomic i64, ptr %{{.*}} monotonic
; CHECK: %[[EPOCH:.*]] = load i64
; CHECK: icmp ne i64 %[[FIRST]], %[[EPOCH]]
; CHECK: %[[SECOND:.*]] = load i64
; CHECK: icmp ne i64 %[[SECOND]], %[[FIRST]]
; CHECK: br i1
; CHECK: call preserve_mostcc void @__footrace_unseen_read16(
  %v = load <2 x i64>, ptr %p, align 16
  ret <2 x i64> %v
}

define i32 @may_cross_a_granule(ptr %p) sanitize_thread {
; The last byte may be in the next granule.
; CHECK-LABEL: @may_cross_a_granule(
; CHECK: %[[NUMBER:.*]] = ptrtoint ptr %p to i64
; CHECK: %[[LAST:.*]] = add i64 %[[NUMBER]], 3
; CHECK: and i64 %[[LAST]], 4
; CHECK: %[[FIRST:.*]] = load atomic i32
; CHECK: icmp ne i32 %[[FIRST]], %
; CHECK: icmp ne i32 %{{.*}}, %[[FIRST]]
; CHECK: br i1
; CHECK: call preserve_mostcc void @__footrace_unseen_read4(ptr %p, ptr
  %v = load i32, ptr %p, align 1
  ret i32 %v
}

define i16 @cannot_cross_a_granule(ptr %p) sanitize_thread {
; CHECK-LABEL: @cannot_cross_a_granule(
; CHECK: load atomic i32
; CHECK: icmp ne i32
; CHECK-NEXT: br i1
; CHECK: call preserve_mostcc void @__footrace_unseen_read2(ptr %p, ptr
  %v = load i16, ptr %p, align 2
  ret i16 %v
}

define i64 @may_cross_a_cell(ptr %p) sanitize_thread {
; From the upper granule of a cell the next one is 12 bytes of shadow away, from the lower 4.
; CHECK-LABEL: @may_cross_a_cell(
; CHECK: %[[HALF:.*]] = and i64 %{{.*}}, 4
; CHECK: %[[FIRST:.*]] = add i64 %{{.*}}, %[[HALF]]
; CHECK: %[[FARTHER:.*]] = shl i64 %[[HALF]], 1
; CHECK: %[[SECOND:.*]] = add i64 %[[FIRST]], %[[FARTHER]]
; CHECK: add i64 %[[FIRST]], 17592186044424
; CHECK: add i64 %[[SECOND]], 17592186044428
; CHECK: br i1
; CHECK: call preserve_mostcc void @__footrace_unseen_read8(ptr %p, ptr
  %v = load i64, ptr %p, align 4
  ret i64 %v
}

define <4 x i32> @four_granules(ptr %p) sanitize_thread {
; CHECK-LABEL: @four_granules(
; CHECK-COUNT-4: icmp ne i32
; CHECK-NOT: icmp
; CHECK: br i1
; CHECK: call preserve_mostcc void @__footrace_unseen_read16(ptr %p, ptr
  %v = load <4 x i32>, ptr %p, align 4
  ret <4 x i32> %v
}

define <4 x i32> @perhaps_five_granules(ptr %p) sanitize_thread {
; CHECK-LABEL: @perhaps_five_granules(
; CHECK-NOT: br i1
; CHECK: call void @__footrace_read16(ptr %p, ptr
  %v = load <4 x i32>, ptr %p, align 2
  ret <4 x i32> %v
}

define i64 @not_to_be_optimised(ptr %p) noinline optnone sanitize_thread {
; CHECK-LABEL: @not_to_be_optimised(
; CHECK-NOT: br i1
; CHECK: call void @__footrace_read8(ptr %p, ptr
  %v = load i64, ptr %p, align 8
  ret i64 %v
}

; The dynamic linker would change registers if it were asked when the call is made.
; CHECK: declare preserve_mostcc void @__footrace_unseen_read8(ptr, ptr) #[[KEEPING:[0-9]+]]
; CHECK: attributes #[[KEEPING]] = { nounwind nonlazybind }
