// The site table: file, function, line, column, kind, size and the chain of inlined calls, at every level.
// RUN: %clangxx -O1 -gline-tables-only -S -emit-llvm %s -o %t.ll
// RUN: FileCheck %s < %t.ll
// RUN: %clangxx -O1 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=NODEBUG
// RUN: %clangxx -O1 -gline-tables-only -c %s -o %t.o
// RUN: llvm-readelf -S %t.o | FileCheck %s --check-prefix=ELF

// The linkage names of functions that exist only inlined come from the debug info.
// CHECK-DAG: [[FILE:@__footrace_string[.0-9]*]] = private unnamed_addr constant {{.*}} c"{{/.*}}sites.cpp\00", align 1
// CHECK-DAG: [[OUTER:@__footrace_string[.0-9]*]] = private unnamed_addr constant {{.*}} c"_Z5outerPi\00"
// CHECK-DAG: [[INNER:@__footrace_string[.0-9]*]] = private unnamed_addr constant {{.*}} c"_ZL5innerPi\00"

// Records 0 and 2 are the scopes of outer and of inner, which was inlined at record 1; record 3 is the read in inner, record 4 the write.
// The second word holds the column, the kind (times 2 to the 16th) and the role (times 2 to the 24th); the last one leads to the scope, or
// from a scope to where it was inlined.
// CHECK: @__footrace_sites._Z5outerPi = private constant { { i32, i32, i32, i32 }, [4 x i32], { i32, i32, i32, i32 }, [8 x i32] }
// CHECK-SAME: ptr [[FILE]] to i64{{.*}}i32 [[#mul(4,16777216)]], {{.*}}ptr [[OUTER]] to i64{{.*}}i32 0 },
// CHECK-SAME: [4 x i32] [i32 [[#@LINE+13]], i32 11, i32 0, i32 -16],
// CHECK-SAME: ptr [[FILE]] to i64{{.*}}i32 [[#mul(4,16777216)]], {{.*}}ptr [[INNER]] to i64{{.*}}i32 -16 },
// CHECK-SAME: [8 x i32] [i32 [[#@LINE+9]], i32 [[#65536 + 35]], i32 4, i32 -16,
// CHECK-SAME: i32 [[#@LINE+11]], i32 [[#mul(2,65536) + 8]], i32 4, i32 -64] }, section "footrace_sites", align 16

// NODEBUG: c"_Z5outerPi\00"
// NODEBUG: @__footrace_sites._Z5outerPi = {{.*}} [8 x i32] [i32 0, i32 65536, i32 4, i32 -16,

// Read-only, aligned to the record, one copy in the group of each inline function.
// ELF: footrace_sites {{.*}} 00 A 0 0 16
// ELF: footrace_sites {{.*}} 00 AG 0 0 16
static int inner(int *p) { return *p; }
int outer(int *p) {
  int v = inner(p);
  p[1] = v;
  return v;
}

template <class T> __attribute__((noinline)) void shared(T *p) { *p = 1; }
template void shared<int>(int *);
// CHECK: @__footrace_sites._Z6sharedIiEvPT_ = {{.*}}, section "footrace_sites", comdat($_Z6sharedIiEvPT_), align 16
