// A value that an option cannot take, a file that cannot be read or written: named, with what happens instead.
// RUN: rm -rf %t && mkdir %t && %cc -O1 %S/Inputs/two_writers.c -o %t/program
// RUN: %exits 66 env FOOTRACE_OPTIONS=history_size=abc %t/program 2>&1 | %filecheck --check-prefix=VALUE %s
// RUN: %exits 66 env FOOTRACE_OPTIONS=findings=%t/no/x %t/program 2>&1 | %filecheck --check-prefix=FINDINGS %s
// RUN: %exits 66 env FOOTRACE_OPTIONS=log_path=%t/no/x %t/program 2>&1 | %filecheck --check-prefix=LOG %s
// RUN: %exits 1 env FOOTRACE_OPTIONS=suppressions=%t/no/x %t/program 2>&1 | %filecheck --check-prefix=SUPP %s
// VALUE: warning:{{.*}}history_size{{.*}}abc
// VALUE: data race
// FINDINGS: cannot write{{.*}}/no/x
// FINDINGS: data race
// LOG: cannot write{{.*}}/no/x
// LOG: data race
// SUPP: cannot read{{.*}}/no/x
// SUPP-NOT: data race
