#!/bin/sh
# One defect has one fingerprint: in a run, a scan and a proof, and after edits above, below and inside of the function.
. "$(dirname "$0")/expect.sh"

# prints FILE: the fingerprints in a file of findings, sorted.
prints() { sed -n 's/.*"fingerprint":"\([0-9a-f]*\)".*/\1/p' "$1" | sort -u; }
# race NAME SOURCE: the fingerprints that a run of SOURCE has.
race() {
  rm -f "$1.jsonl"
  expect "check $1" 66 -- "$footrace" check "$2" --findings "$1.jsonl"
  prints "$1.jsonl" >"$1.txt"
}
cp "$here/programs/ledger.cpp" ledger.cpp
race run ledger.cpp
expect "two defects" 0 stdout '^2$' -- sh -c 'wc -l <run.txt | tr -d " "'
expect "scan" 66 -- "$footrace" scan ledger.cpp --findings scan.jsonl
expect "prove" 66 -- "$footrace" prove ledger.cpp --findings prove.jsonl
prints scan.jsonl >scan.txt
prints prove.jsonl >prove.txt
expect "scan has the fingerprints of the run" 0 -- sh -c 'test -z "$(comm -23 run.txt scan.txt)"'
expect "prove has the fingerprints of the run" 0 -- sh -c 'test -z "$(comm -23 run.txt prove.txt)"'
expect "what each of them says is its evidence" 0 \
  stdout 'run.jsonl:.*"evidence":\[\{"kind":"observed","count":1\}\]' \
  stdout 'scan.jsonl:.*"evidence":\[\{"kind":"suspected","count":1\}\]' \
  stdout 'prove.jsonl:.*"evidence":\[\{"kind":"not proved","count":1\}\]' -- grep . run.jsonl scan.jsonl prove.jsonl
expect "with expression, use and excerpt" 0 stdout '"expression":"totals_.paid","use":"update","excerpt":\{"first":9,' -- cat run.jsonl

# Edits, in another directory.
mkdir elsewhere
{ printf '// A comment above.\nstatic int unused(void) { return 1; }\n\n' && cat ledger.cpp; } >elsewhere/ledger.cpp
race above elsewhere/ledger.cpp
{ cat ledger.cpp && printf '\nint below() { return 2; }\n'; } >elsewhere/ledger.cpp
race below elsewhere/ledger.cpp
sed 's|^    totals_.paid += amount;.*|    if (amount > 0) {\n      // inside\n      totals_ . paid  += 2 * amount;\n    }|' ledger.cpp >elsewhere/ledger.cpp
race inside elsewhere/ledger.cpp
for edit in above below inside; do
  expect "the fingerprints after an edit $edit" 0 -- cmp run.txt $edit.txt
done
sed 's|paid|sold|' ledger.cpp >elsewhere/ledger.cpp
race renamed elsewhere/ledger.cpp
expect "another member is another defect" 1 -- cmp -s run.txt renamed.txt
expect "and only that one" 0 stdout '^1$' -- sh -c 'comm -12 run.txt renamed.txt | wc -l | tr -d " "'

# A proof says so in its findings, too.
printf 'int main() { return 0; }\n' >clean.cpp
expect "prove a program without threads" 0 stdout 'RACE-FREE' -- "$footrace" prove clean.cpp --findings clean.jsonl
expect "the findings say that it is safe" 0 stdout '"rule":"race-free".*clean.cpp.*"kind":"proved safe"' -- cat clean.jsonl
expect "findings that cannot be written" 2 stderr "cannot write the findings to 'no/such'" -- "$footrace" prove clean.cpp --findings no/such
finish
