#!/bin/sh
# A run, scan and prove of one program meet: what two of them report of the same two places has one fingerprint, and their evidence is added; C and C++, globals, members,
# nested structures, elements, heap objects, templates and lambdas, at three levels of optimisation.
. "$(dirname "$0")/expect.sh"
cat >meet.py <<'PYTHON'
import json, sys
def findings(file):
    return [json.loads(line) for line in open(file) if line.strip()]
def places(finding):
    return tuple(sorted((access["location"]["file"].rsplit("/", 1)[-1], access["location"]["line"]) for access in finding["accesses"]))
def by_places(file):
    table = {}
    for finding in findings(file):
        if len(finding["accesses"]) == 2: table.setdefault(places(finding), set()).add(finding["fingerprint"])
    return table
run, scan, prove = map(by_places, sys.argv[1:4])
met = {"run and prove": (run, prove), "scan and prove": (scan, prove)}
for what, (one, other) in met.items():
    apart = [place for place in one if not one[place] & other.get(place, set())]
    print(what, len(one) - len(apart), "of", len(one), "meet")
    for place in apart: print("  apart:", place, one[place], other.get(place))
    if apart: sys.exit(1)
print("observed", len(run), "suspected", len(scan))
PYTHON
for program in shop.cpp shop.c ledger.cpp; do
  cp "$here/programs/$program" .
  rm -f run.jsonl
  # Which of its races a run sees is chance, so there are several.
  for level in -O0 -O1 -O2; do
    for i in 1 2 3; do "$footrace" check $program $level --findings run.jsonl >/dev/null 2>&1; done
  done
  expect "scan of $program" 66 -- "$footrace" scan $program --findings scan.jsonl
  expect "prove of $program" 66 -- "$footrace" prove $program --findings prove.jsonl
  expect "$program: they meet" 0 stdout 'run and prove [1-9]' stdout 'scan and prove [1-9]' -- python3 meet.py run.jsonl scan.jsonl prove.jsonl
  sed -n "s/^/$program: /p" out.txt
  expect "$program: one list" 66 stdout 'observed .*not proved' stdout 'suspected, not proved' -- "$footrace" report run.jsonl scan.jsonl prove.jsonl --all
done
sed 's/"fingerprint":"..../"fingerprint":"0000/' prove.jsonl >other.jsonl
expect "and not by themselves" 1 stdout 'apart' -- python3 meet.py run.jsonl scan.jsonl other.jsonl
finish
