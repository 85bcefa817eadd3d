// What the program fetches ahead, its shadow is fetched ahead as well: the two lines of its cells.
// RUN: %clang -mllvm -footrace-preset=bigfoot -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: %clang -mllvm -footrace-preset=fasttrack -O2 -S -emit-llvm %s -o - | FileCheck %s

// CHECK-LABEL: @look_ahead(
// CHECK: call void @llvm.prefetch.p0(ptr{{.*}} %{{[a-z0-9._]+}}, i32 1, i32 2, i32 1)
// CHECK: and i64 %{{.*}}, 17592186044352
// CHECK: call void @llvm.prefetch.p0(ptr{{.*}}, i32 1, i32 2, i32 1)
// CHECK: call void @llvm.prefetch.p0(ptr{{.*}}, i32 1, i32 2, i32 1)
// CHECK-NOT: @llvm.prefetch
// CHECK: ret
int look_ahead(int* table, long next) {
  __builtin_prefetch(&table[next], 1, 2);
  return table[0];
}

// Nothing is checked here, so nothing of the shadow will be needed.
// CHECK-LABEL: @only_ahead(
// CHECK: call void @llvm.prefetch
// CHECK-NOT: @llvm.prefetch
// CHECK: ret
void only_ahead(int* table) { __builtin_prefetch(table); }
