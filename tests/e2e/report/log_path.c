// log_path sends the report to a file named after the process; stderr stays empty.
// RUN: rm -rf %t && mkdir %t && %cc -O1 %S/Inputs/two_writers.c -o %t/program
// RUN: %exits 66 env FOOTRACE_OPTIONS=log_path=%t/log %t/program 2> %t/stderr
// RUN: not grep writing_function %t/stderr
// RUN: cat %t/log.* | %filecheck %s
// CHECK: race
// CHECK: writing_function
