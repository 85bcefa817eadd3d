; What the code generator makes of the tests in line, instruction by instruction: one constant is the mask and the base, and every word but
; the first is an operand of its compare.
; RUN: %opt_with_plugin -passes=footrace -footrace-preset=bigfoot -footrace-func-entry=0 -S %s | llc -O2 --x86-asm-syntax=intel | FileCheck %s
target triple = "x86_64-unknown-linux-gnu"

define i64 @eight_bytes(ptr %p) sanitize_thread {
; CHECK-LABEL: eight_bytes:
; CHECK: movabs [[BOTH:r[a-z0-9]+]], 17592186044408
; CHECK-NEXT: mov [[CELL:r[a-z0-9]+]], rdi
; CHECK-NEXT: and [[CELL]], [[BOTH]]
; CHECK-NEXT: mov [[WORD:r[a-z0-9]+]], qword ptr {{\[}}[[BOTH]] + 2*[[CELL]] + 16]
; CHECK-NEXT: mov [[NOW:r[a-z0-9]+]], qword ptr [rip + __footrace_now@GOTTPOFF]
; CHECK-NEXT: cmp [[WORD]], qword ptr fs:{{\[}}[[NOW]]]
; CHECK-NEXT: jne
; CHECK: mov rax, qword ptr [rdi]
  %v = load i64, ptr %p, align 8
  ret i64 %v
}

define void @three_cells(ptr align 8 %p) sanitize_thread {
; CHECK-LABEL: three_cells:
; CHECK: mov [[WORD:r[a-z0-9]+]], qword ptr {{\[}}[[BOTH:r[a-z0-9]+]] + 2*[[CELL:r[a-z0-9]+]] + 8]
; CHECK: cmp [[WORD]], qword ptr fs:
; CHECK-NEXT: jne
; CHECK: cmp qword ptr {{\[}}[[BOTH]] + 2*[[CELL]] + 24], [[WORD]]
; CHECK-NEXT: jne
; CHECK: cmp qword ptr {{\[}}[[BOTH]] + 2*[[CELL]] + 40], [[WORD]]
; CHECK-NEXT: jne
; CHECK: mov qword ptr [rdi], 1
  %q = getelementptr i8, ptr %p, i64 8
  %r = getelementptr i8, ptr %p, i64 16
  store i64 1, ptr %p, align 8
  store i64 2, ptr %q, align 8
  store i64 3, ptr %r, align 8
  ret void
}

define i32 @four_bytes(ptr %p) sanitize_thread {
; CHECK-LABEL: four_bytes:
; CHECK-DAG: and e{{[a-z]+}}, 4
; CHECK-DAG: and r{{[a-z0-9]+}}, r
; CHECK: lea [[CELL:r[a-z0-9]+]],
; CHECK-NEXT: mov [[WORD:e[a-z]+]], dword ptr [{{r[a-z0-9]+}} + [[CELL]] + 16]
; CHECK: cmp [[WORD]], dword ptr fs:
; CHECK-NEXT: jne
; CHECK: mov eax, dword ptr [rdi]
  %v = load i32, ptr %p, align 4
  ret i32 %v
}
