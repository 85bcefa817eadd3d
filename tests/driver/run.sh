#!/bin/sh
# check and run: output, exit codes and options of the program.
. "$(dirname "$0")/expect.sh"
clean=$here/programs/clean.cpp
racy=$here/programs/racy.c

expect "check a clean program" 0 stdout 'value 1, thread_sanitizer 1' -- "$footrace" check "$clean"
expect "check passes arguments and the exit code on" 3 stdout 'argument one' stdout 'argument -O2' -- \
  "$footrace" check "$clean" -O2 -- one -O2
expect "check a racy program" 66 stderr 'racy.c:6' -- "$footrace" check "$racy"
expect "check writes findings" 66 -- "$footrace" check "$racy" --findings found.jsonl
expect "findings are JSON" 0 stdout '^\{.*racy\.c' -- cat found.jsonl
expect "findings of a clean program" 0 -- "$footrace" check "$clean" --findings none.jsonl
expect "findings of a clean program are an empty file" 0 -- sh -c 'test -e none.jsonl && ! test -s none.jsonl'
expect "check --stats" 66 stderr '.' -- "$footrace" check --stats "$racy"
expect "check -std" 1 stderr 'c99|c89|C99' -- "$footrace" check "$racy" -std=c89 -pedantic-errors
cp "$racy" racy.txt
expect "check -x c" 66 stderr 'racy.txt:6' -- "$footrace" check -x c racy.txt
printf 'int twice(int x) { return 2 * x; }\n' >twice.c
printf 'extern "C" int twice(int); int main() { return twice(3) - 6; }\n' >main.cpp
expect "check C and C++ together" 0 -- "$footrace" check main.cpp twice.c
expect "check --keep" 0 stderr "kept as '.*/clean'" -- "$footrace" check --keep "$clean"
kept=$(sed -n "s/.*kept as '\(.*\)'.*/\1/p" err.txt)
expect "the kept program runs" 0 stdout 'value 1' -- "$kept"
rm -rf "${kept%/*}"
mkdir empty
expect "check leaves nothing behind" 66 -- env TMPDIR="$work/empty" "$footrace" check "$racy"
expect "check leaves nothing behind, indeed" 0 -- rmdir empty

"$cc" "$racy" -o racy && "$cxx" "$clean" -o clean
expect "run" 66 stderr 'racy.c:6' -- "$footrace" run -- ./racy
expect "run without --" 66 -- "$footrace" run ./racy
expect "run passes the exit code on" 4 -- "$footrace" run -- ./clean a b c
expect "run --options" 7 -- "$footrace" run --options exitcode=7 -- ./racy
expect "run adds to the environment's options" 9 -- env FOOTRACE_OPTIONS=exitcode=9 "$footrace" run --stats -- ./racy
expect "the command line wins over the environment" 7 -- env FOOTRACE_OPTIONS=exitcode=9 "$footrace" run --options exitcode=7 -- ./racy
expect "run --stats counts" 66 stderr 'footrace-stats: slow_path [1-9]' stderr 'footrace-stats: shadow_locations [1-9]' -- "$footrace" run --stats -- ./racy
expect "stats_file gets the counts" 66 -- "$footrace" run --options stats_file=counts.txt -- ./racy
expect "stats_file got them" 0 stdout 'threads_created [1-9]' -- cat counts.txt
rm -f found.jsonl
expect "run --findings" 66 -- sh -c 'mkdir -p sub && cd sub && "$0" run --findings ../found.jsonl -- ../racy' "$footrace"
expect "run --findings wrote" 0 stdout 'racy\.c' -- cat found.jsonl
expect "findings that cannot be written" 2 stderr "cannot write the findings to 'no/such': No such file" -- \
  "$footrace" run --findings no/such -- ./clean
expect "check does not compile then" 2 stderr "cannot write the findings" -- "$footrace" check twice.c --findings "$work"
expect "a log in no folder" 2 stderr "cannot write reports to 'no/log': there is no folder '.*/no'" -- \
  "$footrace" run --log-path no/log -- ./clean
expect "run --log-path" 66 -- "$footrace" run --log-path log -- ./racy
expect "run --log-path wrote" 0 stdout 'racy.c:6' -- sh -c 'cat log.*'
echo 'race:increment' >suppress.txt
expect "run --suppressions" 0 -- "$footrace" run --suppressions suppress.txt -- ./racy
expect "a suppression file that cannot be read" 1 stderr "fatal: cannot read the suppression file '.*nope.txt'" -- \
  env FOOTRACE_OPTIONS=suppressions=nope.txt ./clean
# Signals that are sent to footrace reach the program, which decides; nothing is left behind.
cat >waiting.c <<'C'
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
static volatile sig_atomic_t came;
static void handler(int signal) { came = signal; }
int main(int argc, char** argv) {
  if (argc > 1 && !strcmp(argv[1], "handles")) signal(SIGTERM, handler);
  FILE* file = fopen("waiting.pid", "w");
  fprintf(file, "%d\n", (int)getpid());
  fclose(file);
  rename("waiting.pid", "waiting.now");
  while (!came) pause();
  return 5;
}
C
"$cc" waiting.c -o waiting
# send SIGNAL COMMAND...: sends it to the command as soon as waiting.c waits; 9 if waiting.c is still there afterwards.
cat >send.sh <<'SH'
signal=$1
shift
rm -f waiting.now
"$@" &
command=$!
while [ ! -e waiting.now ]; do sleep 0.1; done
sleep 0.2
kill -s "$signal" "$command"
wait "$command"
code=$?
kill -s 0 "$(cat waiting.now)" 2>/dev/null && exit 9
exit "$code"
SH
for signal in TERM:143 HUP:129 PIPE:141 USR1:138; do
  expect "run passes SIG${signal%:*} on" "${signal#*:}" -- timeout 60 sh send.sh "${signal%:*}" "$footrace" run -- ./waiting
done
expect "run waits for a program that handles a signal" 5 -- timeout 60 sh send.sh TERM "$footrace" run -- ./waiting handles
mkdir empty
expect "check passes a signal on" 143 stderr 'was killed by signal 15' -- timeout 60 env TMPDIR="$work/empty" sh send.sh TERM "$footrace" check waiting.c
expect "check leaves nothing behind then" 0 -- rmdir empty
printf '#!/bin/sh\nexec ./racy\n' >script && chmod +x script
expect "run a script" 66 -- "$footrace" run -- ./script
expect "run finds programs on PATH" 66 -- env PATH="$work:$PATH" "$footrace" run -- racy
cp racy stripped && { strip stripped 2>/dev/null || llvm-strip-22 stripped; }
expect "run a stripped program" 66 -- "$footrace" run -- ./stripped
printf '#include <signal.h>\nint main(void) { return raise(SIGSEGV); }\n' >crash.c
"$cc" crash.c -o crash
expect "killed by a signal" 139 stderr 'killed by signal 11' -- "$footrace" run -- ./crash

# A clean check says that it was one.
printf 'int main() { return 0; }\n' >one.c
expect "one thread" 0 stderr '^footrace: no data race was found: the program had one thread only$' -- "$footrace" check one.c
printf '#include <thread>\nint x;\nint main(int n, char**) { std::thread([=] { if (n > 1) x = 1; }).join(); std::thread t([] { x = 2; }); if (n > 1) x = 3; t.join(); }\n' >some.cpp
expect "two of them" 0 stderr '^footrace: no data race was found in this run .3 threads.; what did not run was not checked$' -- "$footrace" check some.cpp
expect "not where there is one" 66 stderr '1 data race found' -- "$footrace" check some.cpp -- more
expect "nothing of none" 1 -- grep -q 'no data race' err.txt
echo 'race:some.cpp' >all.supp
expect "but suppressed ones" 0 stderr 'no data race was found but one that is suppressed in this run' -- "$footrace" check some.cpp --suppressions all.supp -- more
FOOTRACE_OPTIONS=stats_file=mine.txt expect "not in place of the user's own counters" 0 -- "$footrace" check some.cpp
expect "which are there" 0 stdout 'threads_created 3' -- cat mine.txt
finish
