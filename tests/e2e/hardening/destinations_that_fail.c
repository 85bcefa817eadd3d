// What happens when a report cannot go where it was meant to: it goes to standard error, with the reason.
// RUN: rm -rf %t && mkdir %t && %cc -O1 %S/../report/Inputs/two_writers.c -o %t/program
//
// RUN: %exits 66 env FOOTRACE_OPTIONS=log_path=%t/no/such/log %t/program 2> %t/a
// RUN: %filecheck --check-prefix=LOG %s < %t/a
// LOG: footrace: cannot write the log '{{.*}}/no/such/log.{{[0-9]+}}' (option log_path): No such file or directory; reporting to standard error
// LOG: writing_function
//
// RUN: %exits 66 env FOOTRACE_OPTIONS=findings=%t/no/findings %t/program 2> %t/b
// RUN: %filecheck --check-prefix=FINDINGS %s < %t/b
// FINDINGS: footrace: cannot write the findings file '{{.*}}/no/findings' (option findings): No such file or directory
// FINDINGS: writing_function
//
// RUN: %exits 66 env FOOTRACE_OPTIONS=findings=/dev/full %t/program 2> %t/c
// RUN: %filecheck --check-prefix=FULL %s < %t/c
// FULL: footrace: writing the findings file failed: No space left on device
// FULL: writing_function
//
// RUN: %exits 66 env FOOTRACE_OPTIONS=reporter_path=/no/reporter %t/program 2> %t/d
// RUN: %filecheck --check-prefix=REPORTER %s < %t/d
// REPORTER: race
// REPORTER: has no symbols: the option reporter_path names a file that cannot be executed: /no/reporter
