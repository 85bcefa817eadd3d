#!/bin/sh
# `footrace replay` on text traces and a recorded run: findings, tables, shards as processes of their own, and what users do wrong.
. "$(dirname "$0")/expect.sh"

cat >bank.std <<'TRACE'
T0|alloc(0x1000,32)|bank.cpp:5:3
T0|fork(T1)|bank.cpp:20:3
T0|acq(L1)|bank.cpp:10:3
T0|w(0x1000,8)|bank.cpp:11:5
T0|rel(L1)|bank.cpp:12:3
T1|w(0x1000,8)|bank.cpp:15:5
T1|w(0x1008,8)|bank.cpp:16:5
T1|acq(L1)|bank.cpp:17:5
T1|rel(L1)|bank.cpp:18:5
T0|acq(L1)|bank.cpp:30:3
T0|rel(L1)|bank.cpp:31:3
T0|w(0x1008,8)|bank.cpp:32:3
TRACE
grep -v 'bank.cpp:1[56]' bank.std >clean.std

expect 'precise by default' 66 stdout '^1 race in 12 events$' stdout 'Write of size 8 at 0x1000 by thread T1, event 6 of the trace' \
  stdout 'Previous write .* event 4' stdout 'holding mutex M1 .*bank.cpp:10:3' stdout 'heap block of size 32 at 0x1000' \
  stdout 'Found by FastTrack\.' -- "$footrace" replay bank.std
expect 'predicted race' 66 stdout '^2 races in' stdout 'Previous write of size 8 at 0x1008 by thread T1, event 7' \
  -- "$footrace" replay bank.std --detector SyncP
expect 'one finding of several detectors' 66 stdout '^2 races in' stdout 'Found by DJIT\+, FastTrack, SyncP\.' \
  -- "$footrace" replay bank.std --detector=djit+,FastTrack,SyncP
expect 'a check that is put off names the same two accesses' 66 stdout '^1 race in' stdout 'thread T1, event 6 of the trace' stdout 'main thread, event 4' \
  stdout 'Found by FastTrack, SlimState\.' -- "$footrace" replay bank.std --detector=SlimState,FastTrack
grep -v alloc bank.std >globals.std
expect 'a check that is not put off names both accesses' 66 stdout 'thread T1, event 5 of the trace' stdout 'Previous write .* main thread, event 3' \
  -- "$footrace" replay globals.std --detector=SlimState
expect 'no race' 0 stdout '^0 races in 10 events$' -- "$footrace" replay clean.std --detector=FastTrack,SyncP,SHB
expect 'the table' 66 stdout '^FastTrack +precise +[0-9.]+ +[0-9.]+ +3 +6 ' stdout '^Goldilocks +precise' stdout '^SHB +predictive' \
  stdout 'write_exclusive 3 \(100\.0 % of writes\)' stdout 'reads 0\.0 %, writes 33\.3 %, other 66\.7 %' \
  -- "$footrace" replay bank.std --detector=all --quiet
expect 'the table compares with Empty' 66 stdout '^Empty +- ' -- "$footrace" replay bank.std --detector=FastTrack --stats

# The same bytes, twice.
"$footrace" replay bank.std --detector=all --no-times --findings a.jsonl >a.txt
"$footrace" replay bank.std --detector=all --no-times --findings b.jsonl >b.txt
expect 'text twice' 0 -- cmp a.txt b.txt
expect 'findings twice' 0 -- cmp a.jsonl b.jsonl
expect 'report reads them' 66 stdout 'bank.cpp' -- "$footrace" report a.jsonl

# Shards: processes of their own, whose findings are those of one.
awk 'BEGIN {
  srand(7); print "T0|fork(T1)|1"; print "T0|fork(T2)|2"
  for (i = 0; i < 20000; ++i) {
    t = int(rand() * 3); a = 4096 + 8 * int(rand() * 4000); s = 100 + int(rand() * 50)
    if (rand() < 0.1) { printf "T%d|acq(L1)|3\nT%d|w(%d,8)|%d\nT%d|rel(L1)|4\n", t, t, a, s, t }
    else printf "T%d|%s(%d,%d)|%d\n", t, rand() < 0.9 ? "r" : "w", a, rand() < 0.1 ? 16 : 8, s
    if (rand() < 0.01) printf "T%d|store(%d,8,release)|5\nT%d|load(%d,8,acquire)|6\n", t, a, (t + 1) % 3, a
  } }' >large.std
for detector in FastTrack,DJIT+,Goldilocks,SlimState Eraser; do
  "$footrace" replay large.std --detector=$detector --findings whole.jsonl >whole.txt
  for i in 0 1 2; do
    "$footrace" replay large.std --detector=$detector --shards 3 --shard $i --findings part$i.jsonl >part$i.txt &
  done
  wait
  expect "shards of $detector merged" 66 stdout races -- "$footrace" replay --merge part2.jsonl part0.jsonl part1.jsonl --findings merged.jsonl --quiet
  expect "merged findings of $detector are those of one process" 0 -- cmp whole.jsonl merged.jsonl
  expect "a shard of $detector does not see all" 1 -- cmp -s whole.jsonl part0.jsonl
done

# Second stages behind prefilters.
cat >blocks.std <<'TRACE'
T0|fork(T1)|main:1
T0|begin|add:10
T0|acq(L1)|add:11
T0|r(x)|add:12
T0|rel(L1)|add:13
T1|acq(L1)|other:20
T1|w(x)|other:21
T1|rel(L1)|other:22
T0|acq(L1)|add:14
T0|w(x)|add:15
T0|rel(L1)|add:16
T0|end|add:17
TRACE
expect 'a block that is not atomic' 66 stdout 'footrace: atomicity violation' stdout 'event 9 of the trace' stdout 'Previous access, event 2' \
  stdout 'Found by FastTrack:Velodrome' stdout '^0 races and 1 other finding in 12' -- "$footrace" replay blocks.std --detector=FastTrack:Velodrome
expect 'a detector and a composition' 66 stdout 'Found by None:SingleTrack' stdout 'nondeterminism' \
  -- "$footrace" replay blocks.std --detector=FastTrack,None:SingleTrack
expect 'the table of prefilters' 66 stdout '^checker +None +TL +Eraser +DJIT\+ +FastTrack$' stdout '^Velodrome +100.0 % +66.7 % +0.0 %' stdout '^Atomizer .* -  ' \
  -- "$footrace" replay blocks.std --detector=all:all --no-times --quiet
expect 'the table with times' 66 stdout '^Velodrome +[0-9.]+ +[0-9.]+ ' -- "$footrace" replay blocks.std --detector=all:Velodrome --quiet
expect 'findings of a composition are reported on' 66 stdout 'atomicity violation' \
  -- sh -c "'$footrace' replay blocks.std --detector=None:Velodrome --quiet --findings v.jsonl; exec '$footrace' report v.jsonl"
expect 'wrong composition' 2 stderr "is not PREFILTER:CHECKER" -- "$footrace" replay blocks.std --detector=FastTrack:Velo
expect 'composition of shards' 2 stderr 'needs all of the trace' -- "$footrace" replay blocks.std --detector=None:Velodrome --shards 2 --shard 0

# Memory does not grow with the trace: a million events in an address space that has no room for them.
awk 'BEGIN { print "T0|fork(T1)"; for (i = 0; i < 150000; ++i) { t = i % 2; printf "T%d|acq(L1)\nT%d|r(0x1000,8)|1\nT%d|w(0x1000,8)|2\nT%d|rel(L1)\n", t, t, t, t } }' >long.std
for detector in FastTrack Goldilocks MultiRace Eraser SHB; do
  expect "bounded memory of $detector" 0 stdout '^0 races in 600001 events' \
    -- sh -c "ulimit -v 400000; exec '$footrace' replay long.std --detector=$detector"
done

# A recorded run: places, callers and threads as in the report of the run.
"$cxx" -g -O2 "$here/../../examples/bank.cpp" -o bank
"$footrace" record -o bank.ftr -- ./bank >run.txt 2>&1
expect 'a recorded run' 66 stdout 'Bank::transfer.*bank.cpp:[0-9]+:' stdout '#1 main::.*operator\(\).*bank.cpp' stdout 'Previous write .* event' \
  stdout 'Found by FastTrack, SlimState, SyncP\.' -- "$footrace" replay bank.ftr --detector=FastTrack,SlimState,SyncP
head -c 2000 bank.ftr >cut.ftr
expect 'a recording that ends early' 0 stderr "'cut.ftr' is not all of the run: " -- "$footrace" replay cut.ftr

expect 'no trace' 2 stderr 'which trace\?' -- "$footrace" replay
expect 'missing file' 2 stderr 'nowhere.ftr: cannot be opened: No such file' -- "$footrace" replay nowhere.ftr
expect 'unknown detector' 2 stderr "no detector 'Fasttruck'; known are Empty, " -- "$footrace" replay bank.std --detector=Fasttruck
expect 'detector without a name' 2 stderr "'--detector' needs a value" -- "$footrace" replay bank.std --detector
expect 'unknown option' 2 stderr "unknown option '--fast'" -- "$footrace" replay bank.std --fast
expect 'standard input' 2 stderr 'write it to a file' -- "$footrace" replay -
expect 'half of a shard' 2 stderr "belong together" -- "$footrace" replay bank.std --shards 2
expect 'shard out of range' 2 stderr 'from 0 to' -- "$footrace" replay bank.std --shards 2 --shard 2
expect 'predictive shards' 2 stderr "'SHB' needs all writes" -- "$footrace" replay bank.std --detector=SHB --shards 2 --shard 0
expect 'merge of nothing' 2 stderr "'--merge' needs" -- "$footrace" replay --merge
expect 'merge of a missing file' 2 stderr 'nowhere.jsonl' -- "$footrace" replay --merge nowhere.jsonl
expect 'findings to nowhere' 2 stderr "cannot write '/nonexistent/f'" -- "$footrace" replay bank.std --findings /nonexistent/f
printf 'T0|w(0x10,4)|1\nT0|nonsense(1)|2\n' >wrong.std
expect 'wrong line' 2 stderr "wrong.std:2: unknown operation 'nonsense'" -- "$footrace" replay wrong.std
: >empty.std
expect 'empty file' 2 stderr 'empty.std: is empty' -- "$footrace" replay empty.std --detector=all
echo '# nothing' >none.std
expect 'trace without events' 0 stdout '^0 races in 0 events' -- "$footrace" replay none.std --detector=all
printf 'T0|\033[2J(0x10)\n' >hostile.std
expect 'bytes that a terminal would obey' 2 stderr "unknown operation '.\[2J'" -- "$footrace" replay hostile.std
head -c 300000 /dev/urandom >noise
expect 'noise' 2 stderr 'noise' -- "$footrace" replay noise
expect 'help' 0 stdout 'SyncP: predictive' -- "$footrace" help replay
finish
