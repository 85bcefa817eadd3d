// With link-time optimisation stacks are what they are without: functions of other files that the link step could inline keep their place and that of their call.
// RUN: rm -rf %t && mkdir %t
// RUN: %cc -O2 %s %S/Inputs/lto_far.c -o %t/without && %exits 66 %t/without 2>&1 | %filecheck %s
// RUN: %cc -O2 -flto=full -fuse-ld=lld %s %S/Inputs/lto_far.c -o %t/full && %exits 66 %t/full 2>&1 | %filecheck %s
// RUN: %cc -O2 -flto=thin -fuse-ld=lld %s %S/Inputs/lto_far.c -o %t/thin && %exits 66 %t/thin 2>&1 | %filecheck %s
// RUN: %cc -O2 -flto=full --lto=link -fuse-ld=lld %s %S/Inputs/lto_far.c -o %t/link && %exits 66 %t/link 2>&1 | %filecheck %s
// CHECK: {{Write|Read}} of size 4 at {{.*}} by thread T
// CHECK-NEXT: #0 inner {{.*}}lto_far.c:{{[0-9]+}}
// CHECK: ++*p
// CHECK: #1 far_away {{.*}}lto_far.c:{{[0-9]+}}
// CHECK-NEXT: #2 middle {{.*}}callers_with_lto.c:{{[0-9]+}}
// CHECK-NEXT: #3 body {{.*}}callers_with_lto.c:{{[0-9]+}}
// CHECK-NOT: #
// CHECK: Previous
#include "e2e.h"

int shared;
void far_away(int* p);
static struct InvisibleGate gate;

void middle(int* p) {
  far_away(p);
  ESCAPE(p);
}
static void* body(void* argument) {
  invisible_wait(&gate, (int)(long)argument);
  middle(&shared);
  invisible_signal(&gate);
  return NULL;
}

int main(void) { run_many(2, body); }
