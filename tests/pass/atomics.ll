; Loads are made by the runtime; otherwise the bracket holds the atomic instruction and nothing else. Orders are those of <stdatomic.h>.
; RUN: %footrace %s | FileCheck %s

define i32 @load_orders(ptr %p) sanitize_thread {
; CHECK-LABEL: @load_orders(
; CHECK: %[[A:.*]] = call i64 @__footrace_atomic_load4(ptr %p, i32 0, ptr
; CHECK-NEXT: %[[V:.*]] = trunc i64 %[[A]] to i32
; CHECK: call i64 @__footrace_atomic_load4(ptr %p, i32 0, ptr
; CHECK: call i64 @__footrace_atomic_load4(ptr %p, i32 2, ptr
; CHECK: %[[D:.*]] = call i64 @__footrace_atomic_load4(ptr %p, i32 5, ptr
; CHECK-NEXT: %d = trunc i64 %[[D]] to i32
; CHECK-NOT: load atomic
; CHECK: ret i32 %d
  %a = load atomic i32, ptr %p unordered, align 4
  %b = load atomic i32, ptr %p monotonic, align 4
  %c = load atomic i32, ptr %p acquire, align 4
  %d = load atomic i32, ptr %p seq_cst, align 4
  ret i32 %d
}

define double @loads_of_other_types(ptr %p, ptr %q) sanitize_thread {
; CHECK-LABEL: @loads_of_other_types(
; CHECK: %[[P:.*]] = call i64 @__footrace_atomic_load8(ptr %p, i32 2, ptr
; CHECK-NEXT: %next = inttoptr i64 %[[P]] to ptr
; CHECK: %[[D:.*]] = call i64 @__footrace_atomic_load8(ptr %next, i32 2, ptr
; CHECK-NEXT: %value = bitcast i64 %[[D]] to double
  %next = load atomic ptr, ptr %p acquire, align 8
  %value = load atomic double, ptr %next acquire, align 8
  ret double %value
}

; The program's own instruction stays where it counts, and where the value does not fit.
define i128 @loads_in_a_bracket(ptr %p) sanitize_thread {
; CHECK-LABEL: @loads_in_a_bracket(
; CHECK: %[[S0:.*]] = call ptr @__footrace_atomic_begin(ptr %p, i64 4, ptr
; CHECK-NEXT: load atomic volatile i32, ptr %p monotonic
; CHECK-NEXT: call void @__footrace_atomic_end_load(ptr %[[S0]], i32 0)
; CHECK: %[[S1:.*]] = call ptr @__footrace_atomic_begin(ptr %p, i64 16, ptr
; CHECK-NEXT: load atomic i128, ptr %p acquire
; CHECK-NEXT: call void @__footrace_atomic_end_load(ptr %[[S1]], i32 2)
  %a = load atomic volatile i32, ptr %p monotonic, align 4
  %b = load atomic i128, ptr %p acquire, align 16
  ret i128 %b
}

define void @stores_of_one_and_sixteen_bytes(ptr %p) sanitize_thread {
; CHECK-LABEL: @stores_of_one_and_sixteen_bytes(
; CHECK: %[[S0:.*]] = call ptr @__footrace_atomic_begin(ptr %p, i64 1, ptr
; CHECK-NEXT: store atomic i8 1, ptr %p release
; CHECK-NEXT: call void @__footrace_atomic_end_store(ptr %[[S0]], i32 3)
; CHECK-NEXT: %[[S1:.*]] = call ptr @__footrace_atomic_begin(ptr %p, i64 16, ptr
; CHECK-NEXT: store atomic i128 1, ptr %p monotonic
; CHECK-NEXT: call void @__footrace_atomic_end_store(ptr %[[S1]], i32 0)
  store atomic i8 1, ptr %p release, align 1
  store atomic i128 1, ptr %p monotonic, align 16
  ret void
}

define i64 @rmw(ptr %p) sanitize_thread {
; CHECK-LABEL: @rmw(
; CHECK: %[[S:.*]] = call ptr @__footrace_atomic_begin(ptr %p, i64 8, ptr
; CHECK-NEXT: atomicrmw add ptr %p, i64 1 acq_rel
; CHECK-NEXT: call void @__footrace_atomic_end_rmw(ptr %[[S]], i32 4)
  %old = atomicrmw add ptr %p, i64 1 acq_rel
  ret i64 %old
}

define i32 @cas_gives_success_and_both_orders(ptr %p) sanitize_thread {
; CHECK-LABEL: @cas_gives_success_and_both_orders(
; CHECK: %[[S:.*]] = call ptr @__footrace_atomic_begin(ptr %p, i64 4, ptr
; CHECK-NEXT: %pair = cmpxchg weak ptr %p, i32 0, i32 1 seq_cst acquire
; CHECK-NEXT: %[[OK:.*]] = extractvalue { i32, i1 } %pair, 1
; CHECK-NEXT: %[[BIT:.*]] = zext i1 %[[OK]] to i32
; CHECK-NEXT: call void @__footrace_atomic_end_cas(ptr %[[S]], i32 %[[BIT]], i32 5, i32 2)
  %pair = cmpxchg weak ptr %p, i32 0, i32 1 seq_cst acquire
  %old = extractvalue {i32, i1} %pair, 0
  ret i32 %old
}

define void @thread_fences_are_events() sanitize_thread {
; CHECK-LABEL: @thread_fences_are_events(
; CHECK: call void @__footrace_fence(i32 3)
; CHECK-NEXT: fence release
; CHECK-NEXT: call void @__footrace_fence(i32 5)
; CHECK-NEXT: fence seq_cst
  fence release
  fence seq_cst
  ret void
}

define void @signal_fence_is_not_an_event() sanitize_thread {
; CHECK-LABEL: @signal_fence_is_not_an_event(
; CHECK-NEXT: fence syncscope("singlethread") seq_cst
; CHECK-NEXT: ret void
  fence syncscope("singlethread") seq_cst
  ret void
}

; Atomic towards signal handlers of this thread only: another thread races with it.
define i32 @singlethread_atomic_is_plain(ptr %p) sanitize_thread {
; CHECK-LABEL: @singlethread_atomic_is_plain(
; CHECK-NOT: atomic_begin
; CHECK: call void @__footrace_read4(
; CHECK-NOT: atomic_end
; CHECK: ret i32
  %v = load atomic i32, ptr %p syncscope("singlethread") seq_cst, align 4
  ret i32 %v
}

define i32 @atomic_of_nonescaping_alloca_is_left_alone() sanitize_thread {
; CHECK-LABEL: @atomic_of_nonescaping_alloca_is_left_alone(
; CHECK-NOT: __footrace_
; CHECK: ret i32
  %x = alloca i32
  store atomic i32 1, ptr %x seq_cst, align 4
  %v = load atomic i32, ptr %x seq_cst, align 4
  ret i32 %v
}
