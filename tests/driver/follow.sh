#!/bin/sh
# run on programs that start instrumented ones: one file of findings and one summary.
. "$(dirname "$0")/expect.sh"
"$cxx" -g -O1 "$here/programs/ledger.cpp" -o ledger && "$cc" -g "$here/programs/racy.c" -o racy && "$cxx" "$here/programs/clean.cpp" -o clean
cat >Makefile <<'MAKE'
check: one two three
one:; ./ledger || true
two:; ./ledger || true; ./racy || true
three:; ./clean
fails:; ./ledger
plain:; true
MAKE
expect "make" 66 stderr '^footrace: 4 processes, 3 races; the findings are in .findings.jsonl.' \
  stderr '^footrace: 3 findings \(5 reports\)' stderr 'observed 2 times' -- "$footrace" run -- make -s check
expect "the findings are in the usual file" 66 stdout '3 findings in 1 file' -- "$footrace" report
expect "a second run counts its own only" 66 stderr 'observed 2 times' stderr '^footrace: 4 processes, 3 races' -- "$footrace" run -- make -s check
expect "a failure is passed on" 2 stderr '1 process, 2 races' -- "$footrace" run --findings other.jsonl -- make -s fails
expect "in parallel" 66 stderr '4 processes, 3 races' -- "$footrace" run --findings parallel.jsonl -- make -s -j4 check
expect "without races" 0 stderr '1 process, 0 races' -- "$footrace" run --findings none.jsonl -- make -s three
expect "nothing instrumented" 2 stderr "make' is not instrumented, and neither is any program that it started" -- \
  "$footrace" run --findings nothing.jsonl -- make -s plain
expect "and leaves no file" 1 -- test -e nothing.jsonl
expect "a file that is not instrumented is refused before it runs" 2 stderr 'is not instrumented; .*--follow' -- "$footrace" run -- /usr/bin/make -s check
expect "unless it is to be followed" 66 stderr '4 processes, 3 races' -- "$footrace" run --follow --findings path.jsonl -- /usr/bin/make -s check
expect "a script, with a summary" 66 stderr '2 processes, 2 races' -- "$footrace" run --follow --findings script.jsonl -- sh -c './ledger; ./clean'
grep -v racy other.jsonl >old.jsonl
expect "known races let no program fail, new ones do" 66 stderr '3 races, 1 new, 0 not seen this time' -- \
  "$footrace" run --baseline old.jsonl --findings new.jsonl -- make -s check fails
expect "known races only" 0 stderr '1 process, 2 races, 0 new' -- "$footrace" run --baseline old.jsonl --findings known.jsonl -- make -s fails
expect "a baseline that is not there" 2 stderr "'--baseline' needs a file of findings; 'nope' is none" -- "$footrace" run --baseline nope -- make
expect "suppressions" 66 stderr '1 race;' -- sh -c 'echo race:Ledger::pay >s; echo race:clerk >>s; exec "$0" run --suppressions s --findings s.jsonl -- make -s check' "$footrace"
mkdir tests && cat >tests/CMakeLists.txt <<'CMAKE'
cmake_minimum_required(VERSION 3.25)
project(t NONE)
enable_testing()
add_test(NAME ledger COMMAND ${CMAKE_SOURCE_DIR}/../ledger)
add_test(NAME clean COMMAND ${CMAKE_SOURCE_DIR}/../clean)
CMAKE
expect "configure" 0 -- cmake -S tests -B tests/build
expect "ctest" 8 stderr '2 processes, 2 races' stdout '50% tests passed' -- "$footrace" run --findings ctest.jsonl -- ctest --test-dir tests/build

# On a terminal the last line says how far it is. `script` makes one; its size is what stty says.
cat >>Makefile <<'MAKE'
slow:; @./ledger >ledger.txt 2>&1 || true; sleep 1; echo between; ./racy >racy.txt 2>&1 || true; sleep 1
MAKE
on_terminal() { # on_terminal ROWS COMMAND...: what the terminal got, in typed.txt
  rows=$1
  shift
  script -qec "stty rows $rows cols 80; $*" typed.txt </dev/null >/dev/null
}
run_slow="'$footrace' run --findings slow.jsonl --baseline other.jsonl -- make -s slow"
escape=$(printf '\033')
TERM=xterm expect "live progress" 66 -- on_terminal 24 "$run_slow"
expect "says what was seen so far" 0 stdout "${escape}\[24;1H${escape}\[Kfootrace: 1 process done, 2 races, 0 new, 0:0[0-9]; last: data race ledger.cpp" \
  stdout 'footrace: 2 processes done, 3 races, 1 new, 0:0[0-9]; last: data race racy.c' stdout "between.$" -- cat typed.txt
expect "and leaves the terminal as it was" 0 stdout "${escape}\[24;1H${escape}\[K${escape}8${escape}7${escape}\[r${escape}8.*footrace: 3 findings" -- cat typed.txt
TERM=xterm NO_COLOR=1 expect "without colour" 66 -- on_terminal 24 "$run_slow"
expect "there is progress" 0 stdout '2 processes done' -- cat typed.txt
expect "and no colour" 1 -- grep -q "${escape}\[[0-9]*m" typed.txt
for terminal in 'xterm 3' 'dumb 24'; do
  TERM=${terminal% *} expect "no progress on a terminal that is $terminal" 66 -- on_terminal "${terminal#* }" "$run_slow"
  expect "but the summary" 0 stdout '2 processes, 3 races, 1 new' -- grep -v ' done, ' typed.txt
  expect "nothing else" 1 -- grep -q ' done, ' typed.txt
done
expect "no progress in a pipe" 66 stderr '^footrace: 2 processes, 3 races, 1 new' -- sh -c "$run_slow"
expect "not at all" 1 -- grep -q -e ' done, ' -e "$escape" err.txt
finish
