#!/bin/sh
# record and trace: what is written whatever the program does, and what is said of files that are no traces.
. "$(dirname "$0")/expect.sh"
racy=$here/programs/racy.c
"$cxx" -g -O1 -pthread "$here/programs/endings.cpp" -o endings
"$cc" -g "$racy" -o racy

# recorded WHAT CODE [MORE...]: of `endings WHAT`; the trace is possible.
recorded() {
  what=$1 code=$2
  shift 2
  rm -f t.ftr*
  expect "record, ending: $what" "$code" "$@" -- "$footrace" record -o t.ftr -- ./endings "$what"
  expect "its trace is possible: $what" 0 stdout 't.ftr: [0-9]{2,} events, each possible' -- "$footrace" trace validate t.ftr
}
recorded normal 0 stderr "'t.ftr': 1[0-9]{5} events"
expect "all of it is there" 0 stdout '^  acq  40000$' stdout '^  rel  40000$' stdout '^  fork  1$' stdout '^  join  1$' -- \
  "$footrace" trace stat t.ftr
expect "below two bytes per event" 0 stdout 'bytes, [01]\.[0-9]+ per event' -- "$footrace" trace stat t.ftr
expect "places are printed" 0 stdout 'w\(0x[0-9a-f]+,8\)\|[0-9]+  # count\(int\) .*endings.cpp:[0-9]+:' -- \
  sh -c '"$0" trace print t.ftr | head -2000' "$footrace"
expect "calls are symbolised" 0 stdout 'acq\(L[0-9]+\)\|[0-9]+  # .*\.(h|cpp):[0-9]+' -- \
  sh -c '"$0" trace print t.ftr | head -2000' "$footrace"
recorded signals 0
recorded threads 0
expect "of many threads" 0 stdout '^threads  401$' -- "$footrace" trace stat t.ftr
recorded kill 137 stderr 'did not come to its own end'
expect "a killed program's trace says so" 0 stderr "not all of the run: the process was killed" stdout '^  acq  [0-9]{4,}$' -- \
  "$footrace" trace stat t.ftr
recorded crash 134 stderr 'did not come to its own end'
recorded exit 3
recorded _exit 4
recorded exec 0
expect "the program after exec has a trace of its own" 0 stdout 'events, each possible' -- sh -c '"$0" trace validate t.ftr.*' "$footrace"
recorded fork 0
expect "the child has one, too" 0 stdout 'acq  11$' -- sh -c '"$0" trace stat t.ftr.*' "$footrace"
recorded close-all 0 stderr 'recording stops: the program has closed'

# Accesses that add nothing to happens-before are left out, unless they are asked for.
cat >again.c <<'C'
static volatile long value;
int main(void) {
  for (int i = 0; i < 1000; ++i) value = i;
}
C
"$cc" -g -O1 --preset=fasttrack again.c -o again
expect "record once more" 0 -- "$footrace" record -o few.ftr -- ./again
expect "one write of a span" 0 stdout '^  w  [0-9]$' -- "$footrace" trace stat few.ftr
expect "record --all" 0 -- "$footrace" record --all -o all.ftr -- ./again
expect "every write" 0 stdout '^  w  100[0-9]$' -- "$footrace" trace stat all.ftr
recorded_all() {
  expect "record --all, ending: $1" "$2" -- "$footrace" record --all -o t.ftr -- ./endings "$1"
  expect "its trace is possible: $1" 0 stdout 'each possible' -- "$footrace" trace validate t.ftr
}
recorded_all normal 0
recorded_all signals 0
recorded_all threads 0
recorded_all kill 137
recorded_all fork 0

recorded signal-by-lock 0
expect "a mutex that one thread takes and another releases is a signal" 0 stdout '^  vol_w ' -- "$footrace" trace stat t.ftr

rm -f t.ftr
expect "races are reported as ever" 66 stderr 'racy.c:6' stderr "'run.ftr': [0-9]+ events" -- "$footrace" record --findings f.jsonl -- ./racy
expect "and the findings written" 0 stdout 'racy\.c' -- cat f.jsonl
expect "the trace has the race, with the places of the run" 66 stdout 'racy.c:6' stdout 'created by main thread at' stdout '#[0-9]+ main .*racy.c' -- \
  sh -c '"$0" replay run.ftr 2>&1' "$footrace"
expect "a slice has what synchronises, and the accesses that are wanted" 0 stderr "'s.ftr': [0-9]+ events" -- \
  "$footrace" trace slice run.ftr -o s.ftr --threads 0 --limit 100000
expect "it is a trace" 0 stdout 'each possible' -- "$footrace" trace validate s.ftr
expect "without the others' accesses" 1 -- sh -c '"$0" trace print s.ftr | grep "T[1-9][0-9]*|w("' "$footrace"
expect "for other tools" 0 stdout '^T[0-9]+\|w\(V' -- "$footrace" trace print --std run.ftr
printf 'T0|acq(L1)\nT1|acq(L1)\n' >impossible.txt
expect "a trace that cannot have happened" 2 stderr "'impossible.txt': event 1, T1.acq\(L1\), cannot happen: the lock is held" -- \
  "$footrace" trace validate impossible.txt
head -c 300 run.ftr >cut.ftr
expect "a file that ends early" 0 stderr 'the file ends early, at byte' -- "$footrace" trace stat cut.ftr
{ head -c 200 run.ftr; printf 'xxxx'; tail -c +205 run.ftr; } >bad.ftr
expect "a damaged file" 2 stderr 'bad.ftr, byte [0-9]+: the block' -- "$footrace" trace stat bad.ftr
{ head -c 8 run.ftr; printf '\002\000\000\000'; tail -c +13 run.ftr; } >future.ftr
expect "a file of the future" 2 stderr 'format version 2 is of a newer Footrace' -- "$footrace" trace stat future.ftr
expect "no file" 2 stderr 'nope.ftr: .*No such file' -- "$footrace" trace print nope.ftr
expect "no trace" 2 stderr "record: the file|expected THREAD" -- "$footrace" trace validate endings
expect "no action" 2 stderr 'print.stat.slice.validate' -- "$footrace" trace
expect "an unknown action" 2 stderr "cannot 'draw'" -- "$footrace" trace draw run.ftr
expect "an address that is none" 2 stderr "'--address' needs an address" -- "$footrace" trace slice run.ftr --address here -o x.ftr
expect "a slice without a name" 2 stderr "needs '-o FILE'" -- "$footrace" trace slice run.ftr

expect "a trace that cannot be written" 2 stderr "cannot record to 'no/such.ftr': No such file" -- "$footrace" record -o no/such.ftr -- ./racy
expect "-o without a name" 2 stderr "'-o' needs the name" -- "$footrace" record -o -- ./racy
expect "an unknown option" 2 stderr "unknown option '--fast'" -- "$footrace" record --fast -- ./racy
expect "a program that is not instrumented" 2 stderr 'is not instrumented' -- sh -c 'cp /bin/true plain && "$0" record -- ./plain' "$footrace"
expect "nothing to record" 1 stderr 'nothing was recorded' -- "$footrace" record --follow -- true

expect "a limit on the size of files, which is one on memory that is shared" 1 stderr 'is not recorded: .*memfd_create' stderr 'was not recorded' -- \
  sh -c 'ulimit -f 100000; "$0" record -- ./endings threads' "$footrace"
expect "a disk that is full" 1 stderr "is not all: cannot write 'small.ftr'" -- \
  sh -c 'ulimit -Sf 2; "$0" record -o small.ftr -- ./endings threads' "$footrace"
expect "what was written can be read" 0 stderr 'not all of the run' -- "$footrace" trace validate small.ftr
expect "without a recorder the program runs as it would" 0 stderr 'not recorded: nobody answers' -- \
  env FOOTRACE_OPTIONS=record=/no/socket ./endings threads
finish
