// With findings=FILE each race is one line of JSON with a schema version; the text report is written as well.
// RUN: rm -rf %t && mkdir %t && %cc -O1 %S/Inputs/two_writers.c -o %t/program
// RUN: %exits 66 env FOOTRACE_OPTIONS=findings=%t/findings %t/program 2> %t/stderr
// RUN: grep -q writing_function %t/stderr
// RUN: %filecheck %s < %t/findings
// CHECK: {{^\{.*}}"accesses":{{.*"line":8.*\}$}}
// CHECK-NOT: {{.}}
