// The report is plain text when stderr is a file, coloured when asked for.
// RUN: rm -rf %t && mkdir %t && %cc -O1 %S/Inputs/two_writers.c -o %t/program
// RUN: %exits 66 %t/program 2> %t/plain
// RUN: not grep -q -P '\x1b\[' %t/plain
// RUN: %exits 66 env FOOTRACE_OPTIONS=color=always %t/program 2> %t/coloured
// RUN: grep -q -P '\x1b\[' %t/coloured
