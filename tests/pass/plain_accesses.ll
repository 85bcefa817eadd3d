; Sizes with an entry point of their own use it at any alignment; every other size is a range.
; RUN: %footrace %s | FileCheck %s

define i8 @load_of_one_byte_is_read1(ptr %p) sanitize_thread {
; CHECK-LABEL: @load_of_one_byte_is_read1(
; CHECK: call void @__footrace_read1(ptr %p, ptr getelementptr inbounds (i8, ptr @__footrace_sites.load_of_one_byte_is_read1, i64 16))
; CHECK-NEXT: load i8, ptr %p
  %v = load i8, ptr %p
  ret i8 %v
}

define void @stores_of_every_size_are_sized_writes(ptr %p) sanitize_thread {
; CHECK-LABEL: @stores_of_every_size_are_sized_writes(
; CHECK: call void @__footrace_write1(ptr %p, ptr getelementptr inbounds (i8, ptr @__footrace_sites.stores_of_every_size_are_sized_writes, i64 16))
; CHECK-NEXT: store i8 0
; CHECK-NEXT: call void @__footrace_write2(ptr %p, ptr getelementptr inbounds (i8, ptr @__footrace_sites.{{.*}}, i64 32))
; CHECK-NEXT: store i16 0
; CHECK-NEXT: call void @__footrace_write4(
; CHECK-NEXT: store i32 0
; CHECK-NEXT: call void @__footrace_write8(
; CHECK-NEXT: store i64 0
; CHECK-NEXT: call void @__footrace_write16(
; CHECK-NEXT: store i128 0
  store i8 0, ptr %p
  store i16 0, ptr %p
  store i32 0, ptr %p
  store i64 0, ptr %p
  store i128 0, ptr %p
  ret void
}

define i64 @unaligned_load_is_sized(ptr %p) sanitize_thread {
; CHECK-LABEL: @unaligned_load_is_sized(
; CHECK: call void @__footrace_read8(
; CHECK-NEXT: load i64, ptr %p, align 1
  %v = load i64, ptr %p, align 1
  ret i64 %v
}

define void @odd_sizes_are_ranges(ptr %p, i24 %a, x86_fp80 %b, <8 x i32> %c, <3 x float> %d) sanitize_thread {
; CHECK-LABEL: @odd_sizes_are_ranges(
; CHECK: call void @__footrace_write_range(ptr %p, i64 3, ptr
; CHECK: call void @__footrace_write_range(ptr %p, i64 10, ptr
; CHECK: call void @__footrace_write_range(ptr %p, i64 32, ptr
; CHECK: call void @__footrace_write_range(ptr %p, i64 12, ptr
  store i24 %a, ptr %p
  store x86_fp80 %b, ptr %p
  store <8 x i32> %c, ptr %p
  store <3 x float> %d, ptr %p
  ret void
}

define <4 x i32> @vector_of_sixteen_bytes_is_read16(ptr %p) sanitize_thread {
; CHECK-LABEL: @vector_of_sixteen_bytes_is_read16(
; CHECK: call void @__footrace_read16(
  %v = load <4 x i32>, ptr %p, align 4
  ret <4 x i32> %v
}

define void @struct_without_holes_is_one_access(ptr %p, {i64, i32, i32} %s) sanitize_thread {
; CHECK-LABEL: @struct_without_holes_is_one_access(
; CHECK: call void @__footrace_write16(ptr %p,
; CHECK-NEXT: store { i64, i32, i32 }
  store {i64, i32, i32} %s, ptr %p
  ret void
}

; The three bytes after the i8 belong to nobody, or to a derived class.
define void @padding_of_a_struct_is_not_accessed(ptr %p, {i32, i8, i32} %s) sanitize_thread {
; CHECK-LABEL: @padding_of_a_struct_is_not_accessed(
; CHECK: call void @__footrace_write_range(ptr %p, i64 5,
; CHECK: %[[SECOND:.*]] = getelementptr inbounds i8, ptr %p, i64 8
; CHECK: call void @__footrace_write4(ptr %[[SECOND]],
; CHECK-NEXT: store { i32, i8, i32 }
  store {i32, i8, i32} %s, ptr %p
  ret void
}

define i32 @volatile_load_is_plain(ptr %p) sanitize_thread {
; CHECK-LABEL: @volatile_load_is_plain(
; CHECK: call void @__footrace_read4(
; CHECK-NEXT: load volatile i32
  %v = load volatile i32, ptr %p
  ret i32 %v
}
