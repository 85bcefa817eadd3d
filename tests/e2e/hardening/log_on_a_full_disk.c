// RUN: rm -rf %t && mkdir %t && %cc -O1 %S/../report/Inputs/two_writers.c -o %t/program
// RUN: printf '#!/bin/sh\nln -s /dev/full "$1.$$"\nFOOTRACE_OPTIONS=log_path="$1" exec "$2"\n' > %t/run.sh
// RUN: %exits 66 sh %t/run.sh %t/log %t/program 2> %t/stderr
// RUN: %filecheck %s < %t/stderr
// A log that cannot take the report costs nothing but its place: standard error gets it.
// CHECK: footrace: writing the log failed (option log_path): No space left on device; reporting to standard error
// CHECK: writing_function
