// A static link is refused with a message that says why; it never builds a program that checks nothing.
// RUN: rm -rf %t && mkdir %t
// RUN: not %cc -static -O1 %S/Inputs/two_writers.c -o %t/program 2> %t/stderr
// RUN: %filecheck %s < %t/stderr
// RUN: not %cc -static-pie -O1 %S/Inputs/two_writers.c -o %t/program 2> %t/stderr
// RUN: %filecheck %s < %t/stderr
// CHECK-NOT: undefined reference
// CHECK: static
