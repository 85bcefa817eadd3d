; Vector accesses under a mask check the selected lanes only.
; RUN: %footrace %s | FileCheck %s
target triple = "x86_64-unknown-linux-gnu"

define <4 x i32> @masked_load(ptr %p, <4 x i1> %m) sanitize_thread {
; CHECK-LABEL: @masked_load(
; CHECK: %[[B:.*]] = bitcast <4 x i1> %m to i4
; CHECK-NEXT: %[[L:.*]] = zext i4 %[[B]] to i64
; CHECK-NEXT: call void @__footrace_read_masked(ptr %p, i64 4, i64 %[[L]], ptr
; CHECK-NEXT: call <4 x i32> @llvm.masked.load
  %v = call <4 x i32> @llvm.masked.load.v4i32.p0(ptr align 4 %p, <4 x i1> %m, <4 x i32> poison)
  ret <4 x i32> %v
}

define void @masked_store(ptr %p, <8 x i16> %v, <8 x i1> %m) sanitize_thread {
; CHECK-LABEL: @masked_store(
; CHECK: call void @__footrace_write_masked(ptr %p, i64 2, i64 %{{.*}}, ptr
; CHECK-NEXT: call void @llvm.masked.store
  call void @llvm.masked.store.v8i16.p0(<8 x i16> %v, ptr align 2 %p, <8 x i1> %m)
  ret void
}

define <128 x i8> @more_than_64_lanes_take_two_checks(ptr %p, <128 x i1> %m) sanitize_thread {
; CHECK-LABEL: @more_than_64_lanes_take_two_checks(
; CHECK: call void @__footrace_read_masked(ptr %p, i64 1, i64
; CHECK: %[[UPPER:.*]] = getelementptr i8, ptr %p, i64 64
; CHECK: call void @__footrace_read_masked(ptr %[[UPPER]], i64 1, i64
; CHECK-NEXT: call <128 x i8> @llvm.masked.load
  %v = call <128 x i8> @llvm.masked.load.v128i8.p0(ptr align 1 %p, <128 x i1> %m, <128 x i8> poison)
  ret <128 x i8> %v
}

define <4 x i32> @expandload_reads_as_many_lanes_as_bits(ptr %p, <4 x i1> %m) sanitize_thread {
; CHECK-LABEL: @expandload_reads_as_many_lanes_as_bits(
; CHECK: %[[N:.*]] = call i4 @llvm.ctpop.i4(
; CHECK-NEXT: %[[W:.*]] = zext i4 %[[N]] to i64
; CHECK-NEXT: %[[BYTES:.*]] = mul i64 %[[W]], 4
; CHECK-NEXT: call void @__footrace_read_range(ptr %p, i64 %[[BYTES]], ptr
  %v = call <4 x i32> @llvm.masked.expandload.v4i32(ptr %p, <4 x i1> %m, <4 x i32> poison)
  ret <4 x i32> %v
}

define void @compressstore_writes_as_many_lanes_as_bits(ptr %p, <4 x i32> %v, <4 x i1> %m) sanitize_thread {
; CHECK-LABEL: @compressstore_writes_as_many_lanes_as_bits(
; CHECK: call void @__footrace_write_range(ptr %p, i64 %{{.*}}, ptr
  call void @llvm.masked.compressstore.v4i32(<4 x i32> %v, ptr %p, <4 x i1> %m)
  ret void
}

define <4 x i32> @gather_passes_the_lane_addresses(<4 x ptr> %p, <4 x i1> %m) sanitize_thread {
; CHECK-LABEL: @gather_passes_the_lane_addresses(
; CHECK-NEXT: %footrace.lanes = alloca [64 x ptr]
; CHECK: store <4 x ptr> %p, ptr %footrace.lanes
; CHECK: call void @__footrace_read_gather(ptr %footrace.lanes, i64 4, i64 %{{.*}}, ptr
; CHECK-NEXT: call <4 x i32> @llvm.masked.gather
  %v = call <4 x i32> @llvm.masked.gather.v4i32.v4p0(<4 x ptr> align 4 %p, <4 x i1> %m, <4 x i32> poison)
  ret <4 x i32> %v
}

define void @scatter(<4 x i64> %v, <4 x ptr> %p, <4 x i1> %m) sanitize_thread {
; CHECK-LABEL: @scatter(
; CHECK: call void @__footrace_write_scatter(ptr %footrace.lanes, i64 8, i64 %{{.*}}, ptr
; CHECK-NEXT: call void @llvm.masked.scatter
  call void @llvm.masked.scatter.v4i64.v4p0(<4 x i64> %v, <4 x ptr> align 8 %p, <4 x i1> %m)
  ret void
}

define <4 x i32> @vp_load_stops_at_its_length(ptr %p, <4 x i1> %m, i32 %n) sanitize_thread {
; CHECK-LABEL: @vp_load_stops_at_its_length(
; CHECK: %[[BELOW:.*]] = icmp ult <4 x i32> <i32 0, i32 1, i32 2, i32 3>, %
; CHECK: and <4 x i1> %m, %[[BELOW]]
; CHECK: call void @__footrace_read_masked(ptr %p, i64 4,
  %v = call <4 x i32> @llvm.vp.load.v4i32.p0(ptr %p, <4 x i1> %m, i32 %n)
  ret <4 x i32> %v
}

define void @vp_strided_store(<4 x i32> %v, ptr %p, i64 %stride, <4 x i1> %m, i32 %n) sanitize_thread {
; CHECK-LABEL: @vp_strided_store(
; CHECK: %[[OFFSETS:.*]] = mul <4 x i64> <i64 0, i64 1, i64 2, i64 3>, %
; CHECK: getelementptr i8, ptr %p, <4 x i64> %[[OFFSETS]]
; CHECK: call void @__footrace_write_scatter(
  call void @llvm.experimental.vp.strided.store.v4i32.p0.i64(<4 x i32> %v, ptr %p, i64 %stride, <4 x i1> %m, i32 %n)
  ret void
}

define <8 x float> @avx_maskload_uses_sign_bits(ptr %p, <8 x i32> %m) sanitize_thread {
; CHECK-LABEL: @avx_maskload_uses_sign_bits(
; CHECK: icmp slt <8 x i32> %m, zeroinitializer
; CHECK: call void @__footrace_read_masked(ptr %p, i64 4,
  %v = call <8 x float> @llvm.x86.avx.maskload.ps.256(ptr %p, <8 x i32> %m)
  ret <8 x float> %v
}

; Four lanes of mask and data, two of index: two are gathered.
define <4 x float> @avx2_gather_takes_the_narrowest_lane_count(ptr %p, <2 x i64> %i, <4 x float> %m) sanitize_thread {
; CHECK-LABEL: @avx2_gather_takes_the_narrowest_lane_count(
; CHECK: bitcast <2 x i1> %{{.*}} to i2
; CHECK: call void @__footrace_read_gather(
  %v = call <4 x float> @llvm.x86.avx2.gather.q.ps(<4 x float> zeroinitializer, ptr %p, <2 x i64> %i, <4 x float> %m, i8 4)
  ret <4 x float> %v
}

define void @avx512_truncating_store_writes_narrow_lanes(ptr %p, <16 x i32> %v, i16 %m) sanitize_thread {
; CHECK-LABEL: @avx512_truncating_store_writes_narrow_lanes(
; CHECK: call void @__footrace_write_masked(ptr %p, i64 1,
  call void @llvm.x86.avx512.mask.pmov.db.mem.512(ptr %p, <16 x i32> %v, i16 %m)
  ret void
}

define void @maskmov_and_control_word(ptr %p, <16 x i8> %v, <16 x i8> %m) sanitize_thread {
; CHECK-LABEL: @maskmov_and_control_word(
; CHECK: call void @__footrace_write_masked(ptr %p, i64 1,
; CHECK: call void @__footrace_write4(ptr %p,
  call void @llvm.x86.sse2.maskmov.dqu(<16 x i8> %v, <16 x i8> %m, ptr %p)
  call void @llvm.x86.sse.stmxcsr(ptr %p)
  ret void
}
