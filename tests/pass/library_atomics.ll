; Calls of libatomic are atomics; their buffers are plain memory.
; RUN: %footrace %s | FileCheck %s

declare i128 @__atomic_load_16(ptr, i32)
declare void @__atomic_store_16(ptr, i128, i32)
declare i128 @__atomic_fetch_add_16(ptr, i128, i32)
declare zeroext i1 @__atomic_compare_exchange_16(ptr, ptr, i128, i32, i32)
declare void @__atomic_load(i64, ptr, ptr, i32)
declare void @__atomic_store(i64, ptr, ptr, i32)
declare void @__atomic_exchange(i64, ptr, ptr, ptr, i32)
declare zeroext i1 @__atomic_compare_exchange(i64, ptr, ptr, ptr, i32, i32)
declare i32 @__gxx_personality_v0(...)

define i128 @sized_load_with_run_time_order(ptr %p, i32 %order) sanitize_thread {
; CHECK-LABEL: @sized_load_with_run_time_order(
; CHECK: %[[S:.*]] = call ptr @__footrace_atomic_begin(ptr %p, i64 16, ptr
; CHECK-NEXT: call i128 @__atomic_load_16(ptr %p, i32 %order)
; CHECK-NEXT: call void @__footrace_atomic_end_load(ptr %[[S]], i32 %order)
  %v = call i128 @__atomic_load_16(ptr %p, i32 %order)
  ret i128 %v
}

define void @sized_store_and_fetch_add(ptr %p) sanitize_thread {
; CHECK-LABEL: @sized_store_and_fetch_add(
; CHECK: call void @__atomic_store_16(
; CHECK-NEXT: call void @__footrace_atomic_end_store(ptr %{{.*}}, i32 3)
; CHECK: call i128 @__atomic_fetch_add_16(
; CHECK-NEXT: call void @__footrace_atomic_end_rmw(ptr %{{.*}}, i32 5)
  call void @__atomic_store_16(ptr %p, i128 1, i32 3)
  %v = call i128 @__atomic_fetch_add_16(ptr %p, i128 1, i32 5)
  ret void
}

define i1 @expected_is_written_only_on_failure(ptr %p, ptr %expected) sanitize_thread {
; CHECK-LABEL: @expected_is_written_only_on_failure(
; CHECK: call void @__footrace_read16(ptr %expected,
; CHECK-NEXT: %[[S:.*]] = call ptr @__footrace_atomic_begin(ptr %p, i64 16, ptr
; CHECK-NEXT: %ok = call zeroext i1 @__atomic_compare_exchange_16(
; CHECK: call void @__footrace_atomic_end_cas(ptr %[[S]], i32 %{{.*}}, i32 5, i32 2)
; CHECK: %[[FAILED:.*]] = xor i1 %{{.*}}, true
; CHECK: %[[LANE:.*]] = zext i1 %[[FAILED]] to i64
; CHECK: call void @__footrace_write_masked(ptr %expected, i64 16, i64 %[[LANE]], ptr
  %ok = call zeroext i1 @__atomic_compare_exchange_16(ptr %p, ptr %expected, i128 1, i32 5, i32 2)
  ret i1 %ok
}

define void @generic_forms_check_their_buffers(ptr %p, ptr %a, ptr %b) sanitize_thread {
; CHECK-LABEL: @generic_forms_check_their_buffers(
; CHECK: call void @__footrace_write_range(ptr %a, i64 24,
; CHECK-NEXT: call ptr @__footrace_atomic_begin(ptr %p, i64 24,
; CHECK-NEXT: call void @__atomic_load(
; CHECK-NEXT: call void @__footrace_atomic_end_load(
; CHECK: call void @__footrace_read_range(ptr %a, i64 24,
; CHECK-NEXT: call ptr @__footrace_atomic_begin(ptr %p, i64 24,
; CHECK-NEXT: call void @__atomic_store(
; CHECK-NEXT: call void @__footrace_atomic_end_store(
; CHECK: call void @__footrace_read_range(ptr %a, i64 24,
; CHECK-NEXT: call void @__footrace_write_range(ptr %b, i64 24,
; CHECK-NEXT: call ptr @__footrace_atomic_begin(ptr %p, i64 24,
; CHECK-NEXT: call void @__atomic_exchange(
; CHECK-NEXT: call void @__footrace_atomic_end_rmw(
  call void @__atomic_load(i64 24, ptr %p, ptr %a, i32 5)
  call void @__atomic_store(i64 24, ptr %p, ptr %a, i32 5)
  call void @__atomic_exchange(i64 24, ptr %p, ptr %a, ptr %b, i32 5)
  ret void
}

define i1 @generic_cas_of_run_time_size(i64 %n, ptr %p, ptr %a, ptr %b) sanitize_thread {
; CHECK-LABEL: @generic_cas_of_run_time_size(
; CHECK: call void @__footrace_read_range(ptr %a, i64 %n,
; CHECK-NEXT: call void @__footrace_read_range(ptr %b, i64 %n,
; CHECK-NEXT: call ptr @__footrace_atomic_begin(ptr %p, i64 %n,
; CHECK-NEXT: call zeroext i1 @__atomic_compare_exchange(
; CHECK: call void @__footrace_atomic_end_cas(
; CHECK: call void @__footrace_write_masked(ptr %a, i64 %n,
  %ok = call zeroext i1 @__atomic_compare_exchange(i64 %n, ptr %p, ptr %a, ptr %b, i32 5, i32 0)
  ret i1 %ok
}

; The end must follow on every path, and these functions do not throw.
define void @invoked_store_becomes_a_call(ptr %p) sanitize_thread personality ptr @__gxx_personality_v0 {
; CHECK-LABEL: @invoked_store_becomes_a_call(
; CHECK: call ptr @__footrace_atomic_begin(
; CHECK-NEXT: call void @__atomic_store_16(
; CHECK-NEXT: call void @__footrace_atomic_end_store(
  invoke void @__atomic_store_16(ptr %p, i128 1, i32 5) to label %done unwind label %pad
done:
  ret void
pad:
  %e = landingpad {ptr, i32} cleanup
  resume {ptr, i32} %e
}

; A program's own function of that name is ordinary code.
define i64 @__atomic_load_8(ptr %p, i32 %order) sanitize_thread {
  ret i64 0
}
define i64 @function_with_a_body_is_not_libatomic(ptr %p) sanitize_thread {
; CHECK-LABEL: @function_with_a_body_is_not_libatomic(
; CHECK-NOT: atomic_begin
; CHECK: ret i64
  %v = call i64 @__atomic_load_8(ptr %p, i32 5)
  ret i64 %v
}
