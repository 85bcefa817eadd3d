// A static link works or is refused with a message that says why; it never builds a program that checks
// nothing. RUN: rm -rf %t && mkdir %t RUN: %exits 1 %cc -static -O1 %S/Inputs/two_writers.c -o %t/program 2>
// %t/stderr RUN: %filecheck %s < %t/stderr RUN: %exits 1 %cc -static-pie -O1 %S/Inputs/two_writers.c -o
// %t/program 2> %t/stderr RUN: %filecheck %s < %t/stderr CHECK: static CHECK-NOT: undefined reference
