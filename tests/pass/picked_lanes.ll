; A vector that is loaded for some of its lanes is checked for those only: the vectorisers read whole rows for some of their elements.
; RUN: %footrace %s | FileCheck %s
target triple = "x86_64-unknown-linux-gnu"

define <2 x i32> @every_other_lane(ptr %p) sanitize_thread {
; CHECK-LABEL: @every_other_lane(
; CHECK-NOT: @__footrace_read16
; CHECK-NOT: @__footrace_read_range
; CHECK-COUNT-2: @__footrace_read4(
; CHECK-NOT: @__footrace_read4(
; CHECK: ret
  %v = load <4 x i32>, ptr %p, align 4
  %s = shufflevector <4 x i32> %v, <4 x i32> poison, <2 x i32> <i32 0, i32 2>
  ret <2 x i32> %s
}

define <2 x i32> @through_a_wider_vector(ptr %p) sanitize_thread {
; CHECK-LABEL: @through_a_wider_vector(
; CHECK: @__footrace_read4(
; CHECK: @__footrace_read4(
; CHECK-NOT: @__footrace_read
; CHECK: ret
  %v = load <3 x i32>, ptr %p, align 4
  %w = shufflevector <3 x i32> %v, <3 x i32> poison, <4 x i32> <i32 0, i32 1, i32 2, i32 poison>
  %s = shufflevector <4 x i32> %w, <4 x i32> poison, <2 x i32> <i32 2, i32 0>
  ret <2 x i32> %s
}

define i64 @one_lane_of_the_second_operand(ptr %p, <2 x i64> %o) sanitize_thread {
; CHECK-LABEL: @one_lane_of_the_second_operand(
; CHECK: %[[AT:.*]] = getelementptr {{.*}}i8, ptr %p, i64 8
; CHECK: @__footrace_read8(ptr %[[AT]]
; CHECK-NOT: @__footrace_read
; CHECK: ret
  %v = load <2 x i64>, ptr %p, align 8
  %s = shufflevector <2 x i64> %o, <2 x i64> %v, <2 x i32> <i32 0, i32 3>
  %e = extractelement <2 x i64> %s, i64 1
  ret i64 %e
}

; Negative twins.
define <4 x i32> @all_lanes(ptr %p) sanitize_thread {
; CHECK-LABEL: @all_lanes(
; CHECK: @__footrace_{{(unaligned_)?}}read16(
; CHECK: ret
  %v = load <4 x i32>, ptr %p, align 16
  %s = shufflevector <4 x i32> %v, <4 x i32> poison, <4 x i32> <i32 3, i32 2, i32 1, i32 0>
  ret <4 x i32> %s
}

define i32 @a_lane_that_is_not_known(ptr %p, i64 %i) sanitize_thread {
; CHECK-LABEL: @a_lane_that_is_not_known(
; CHECK: @__footrace_{{(unaligned_)?}}read16(
; CHECK: ret
  %v = load <4 x i32>, ptr %p, align 16
  %e = extractelement <4 x i32> %v, i64 %i
  ret i32 %e
}

define i32 @another_use_of_the_whole(ptr %p, ptr %q) sanitize_thread {
; CHECK-LABEL: @another_use_of_the_whole(
; CHECK: @__footrace_{{(unaligned_)?}}read16(
; CHECK: ret
  %v = load <4 x i32>, ptr %p, align 16
  %e = extractelement <4 x i32> %v, i64 1
  %b = bitcast <4 x i32> %v to i128
  store i128 %b, ptr %q, align 16
  ret i32 %e
}
