// Without debug info the report has function names and modules; stripped of symbols, the site table has them.
// RUN: rm -rf %t && mkdir %t && %cc -O1 -g0 %S/Inputs/two_writers.c -o %t/program
// RUN: %exits 66 %t/program 2> %t/stderr
// RUN: %filecheck %s < %t/stderr
// RUN: %llvm-tools/llvm-strip %t/program -o %t/stripped
// RUN: %exits 66 %t/stripped 2> %t/stderr
// RUN: %filecheck %s < %t/stderr
// CHECK: race
// CHECK: writing_function
// CHECK: Previous write
// CHECK: writing_function
