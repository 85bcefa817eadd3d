// RUN: rm -rf %t && mkdir %t && %cc -O1 %s -o %t/program
// RUN: %exits 0 env FOOTRACE_OPTIONS=help=1 %t/program 2> %t/help
// RUN: %filecheck --check-prefix=HELP %s < %t/help
// RUN: %exits 0 env TSAN_OPTIONS=second_deadlock_stack=1:verbosity=1 %t/program 2> %t/verbose
// RUN: %filecheck --check-prefix=VERBOSE %s < %t/verbose
// RUN: %exits 0 env TSAN_OPTIONS=second_deadlock_stack=1 %t/program 2> %t/quiet
// RUN: %filecheck --allow-empty --check-prefix=QUIET %s < %t/quiet
// HELP: footrace: options for FOOTRACE_OPTIONS
// HELP: exitcode=66
// HELP: report_limit=100
// VERBOSE: 'second_deadlock_stack' has no meaning for Footrace and is ignored
// QUIET-NOT: footrace
int main(void) {}
