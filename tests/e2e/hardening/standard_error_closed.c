// RUN: rm -rf %t && mkdir %t && %cc -O1 %S/../report/Inputs/two_writers.c -o %t/program
// RUN: printf 'FOOTRACE_OPTIONS="$1" exec "$2" 2>&-\n' > %t/run.sh
// RUN: %exits 66 sh %t/run.sh findings=%t/findings %t/program
// RUN: grep -c . %t/findings | grep -x 1
// RUN: grep -q '^{.*writing_function.*}$' %t/findings
// RUN: %exits 66 sh %t/run.sh log_path=%t/log %t/program
// RUN: grep -q writing_function %t/log.*
// Without a standard error the file of findings gets findings only, and the log and the exit code still tell.
