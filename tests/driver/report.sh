#!/bin/sh
# report and explain: findings of runs, a scan and a proof as one list; formats, baselines, suppressions, damaged files.
. "$(dirname "$0")/expect.sh"
cp "$here/programs/ledger.cpp" ledger.cpp
"$footrace" check ledger.cpp --findings run.jsonl >/dev/null 2>&1
"$footrace" scan ledger.cpp --findings scan.jsonl >/dev/null 2>&1
"$footrace" prove ledger.cpp --findings prove.jsonl >/dev/null 2>&1
id_of() { "$footrace" report "$1" 2>&1 | sed -n "/on $2\$/{n;s/.*ID \([0-9a-f]*\).*/\1/p;}"; }
paid=$(id_of run.jsonl totals_.paid)

expect "a run, a scan and a proof are one list" 66 stdout '^footrace: [23] findings in 3 files' \
  stdout "ID $paid  ?observed once, suspected, not proved" -- "$footrace" report run.jsonl scan.jsonl prove.jsonl
cp out.txt list.txt
expect "nothing is wider than 80 columns" 1 -- grep -E '.{81}' list.txt
expect "no colour in a pipe" 1 -- grep -q "$(printf '\033')" list.txt
expect "two runs are counted" 66 stdout 'observed 2 times' -- "$footrace" report run.jsonl run.jsonl
expect "standard input" 66 stdout 'totals_.paid' -- sh -c '"$0" report - <run.jsonl' "$footrace"
expect "the usual file" 2 stderr "no file of findings given, and there is no 'findings.jsonl' here" -- "$footrace" report
cp run.jsonl findings.jsonl
expect "is found" 66 stdout 'totals_.paid' -- "$footrace" report

# All formats from one command.
expect "all formats" 66 -- "$footrace" report run.jsonl --text r.txt --json r.jsonl --sarif r.sarif --gitlab=r.gitlab --junit r.xml \
  --github r.github --html r.html --lines r.lines
for file in r.txt r.jsonl r.sarif r.gitlab r.xml r.github r.html r.lines; do
  expect "$file names the place, relative to this folder" 0 stdout 'ledger.cpp' -- cat $file
done
expect "paths are relative" 1 -- grep -l "$work/ledger" r.sarif r.gitlab r.github r.html
expect "SARIF is JSON of its version" 0 stdout '"version": "2.1.0"' stdout '"uri": "ledger.cpp"' \
  stdout "\"primaryLocationLineHash\": \"$paid:1\"" -- cat r.sarif
expect "SARIF is JSON" 0 -- python3 -m json.tool r.sarif /dev/null
expect "GitLab's is a JSON list" 0 -- python3 -c 'import json; assert len(json.load(open("r.gitlab"))) == 2'
expect "JUnit's is XML" 0 -- python3 -c 'import xml.etree.ElementTree as e; assert len(e.parse("r.xml").findall(".//failure")) == 2'
expect "what report wrote, report reads" 66 stdout '2 findings' -- "$footrace" report r.jsonl
expect "the page has no other source" 1 -- grep -E 'https?://[^w]|src=|@import' r.html
expect "a file that cannot be written" 2 stderr "cannot write 'no/such': No such file" -- "$footrace" report run.jsonl --html no/such

# Hostile names reach the page as text only.
printf 'int shared;\n#include <thread>\n// </script><script>alert(1)</script>\nint main() { std::thread t([] { shared = 1; /* <img src=x> */ }); shared = 2; t.join(); }\n' >'<b>&"evil.cpp'
"$footrace" check '<b>&"evil.cpp' --findings evil.jsonl >/dev/null 2>&1
expect "a hostile file" 66 -- "$footrace" report evil.jsonl --html evil.html --junit evil.xml
expect "its excerpt is in the page" 0 stdout 'u003cimg src=x>' -- cat evil.html
expect "but not as markup" 1 -- grep -E '<img|<script>alert|<b>' evil.html
expect "and XML is whole" 0 -- python3 -c 'import xml.etree.ElementTree as e; e.parse("evil.xml")'

# Baselines.
grep -v "$paid" run.jsonl >before.jsonl
expect "against a baseline" 66 stdout '1 new, 1 known, 0 fixed' stdout "ID $paid +new" -- "$footrace" report run.jsonl --baseline before.jsonl
expect "nothing new" 0 stdout '0 new, 2 known, 0 fixed' -- "$footrace" report run.jsonl --baseline run.jsonl
expect "fixed" 0 stdout '0 new, 1 known, 1 fixed' stdout 'fixed, observed once' -- "$footrace" report before.jsonl --baseline run.jsonl
expect "nothing at all" 0 stdout '0 findings' -- "$footrace" report --text - /dev/null
expect "a baseline that is not there" 2 stderr "none.jsonl: cannot read: No such file" -- "$footrace" report run.jsonl --baseline none.jsonl

# Runs over time.
expect "a first run" 66 stdout 'first seen 20..-..-.. in v1, in 1 of 1 run$' -- "$footrace" report before.jsonl --db runs.db --commit v1
expect "a second run" 66 stdout 'in v1, in 2 of 2 runs$' stdout 'in v2, in 1 of 2 runs$' -- \
  "$footrace" report run.jsonl --db runs.db --commit v2 --text - --html trend.html
expect "the page has the trend" 0 stdout '"runs":\[\{"time":"[^"]*","commit":"v1","findings":1,"added":1\},\{"time":"[^"]*","commit":"v2","findings":2,"added":1\}' -- cat trend.html
expect "a database that is none" 2 stderr "cannot use the database 'ledger.cpp': file is not a database" -- "$footrace" report run.jsonl --db ledger.cpp
expect "a commit without a database" 2 stderr "'--commit NAME' belongs to '--db FILE'" -- "$footrace" report run.jsonl --commit v3

# Suppressions.
expect "suppress without a reason" 2 stderr "needs '--reason TEXT'" -- "$footrace" report run.jsonl --suppress "$paid"
expect "suppress until a day that was" 2 stderr "has passed already" -- "$footrace" report run.jsonl --suppress "$paid" --reason x --until 2020-01-01
expect "suppress what is not there" 2 stderr "no finding has the ID '0000'" -- "$footrace" report run.jsonl --suppress 0000 --reason x
expect "suppress" 0 stderr "'footrace.supp' suppresses $paid now until 2099-12-31" -- \
  "$footrace" report run.jsonl --suppress "${paid%????}" --reason 'statistics only' --until 2099-12-31
expect "the rule has reason and date" 0 stdout "^finding:$paid until=2099-12-31 added=20..-..-.. reason=statistics only\$" -- cat footrace.supp
expect "report leaves it out" 66 stdout '1 finding need' -- "$footrace" report run.jsonl --suppressions footrace.supp
expect "--all shows it" 66 stdout 'suppressed: statistics only' -- "$footrace" report run.jsonl --suppressions footrace.supp --all
expect "and a run leaves it out" 66 stderr '1 data race found' -- "$footrace" check ledger.cpp --suppressions footrace.supp
sed 's/until=2099/until=2020/' footrace.supp >expired.supp
expect "expired ones are shown" 66 stdout 'suppression has expired: finding:' stdout "ID $paid" -- "$footrace" report run.jsonl --suppressions expired.supp
expect "and suppress no run" 66 stderr '2 data races found' -- "$footrace" check ledger.cpp --suppressions expired.supp
expect "a suppression file that is not there" 2 stderr "cannot read suppressions file 'none.supp'" -- "$footrace" report run.jsonl --suppressions none.supp

# explain
expect "explain" 0 stdout 'C\+\+20 \[intro.races\]' stdout 'Ledger::pay makes a write of 8 bytes, on T' stdout 'Suggestion \(not verified' \
  -- "$footrace" explain "$paid" run.jsonl
expect "explain by the beginning of an ID" 0 stdout "ID $paid" -- "$footrace" explain "${paid%??????????}" run.jsonl
expect "explain without an ID" 2 stderr 'which finding' -- "$footrace" explain
expect "explain what is no ID" 2 stderr "'run.jsonl' is no ID" -- "$footrace" explain run.jsonl
expect "explain what is not there" 2 stderr "no finding has the ID 'ffffffff'" -- "$footrace" explain ffffffff run.jsonl

# Files that are not as they should be.
head -c 300 run.jsonl >cut.jsonl
expect "a truncated file" 1 stderr 'cut.jsonl:1: truncated line \(was the writer interrupted\?\)' -- "$footrace" report cut.jsonl
expect "does not cost the others" 66 stdout '2 findings' stderr 'cut.jsonl:1: truncated' -- "$footrace" report cut.jsonl run.jsonl
sed 's/"schema":2/"schema":9/' run.jsonl >new.jsonl
expect "a file of a newer version" 1 stderr 'new.jsonl:1: schema: version 9 is newer than version 2, the newest this footrace reads' -- "$footrace" report new.jsonl
sed 's/"schema":2/"schema":1/;s/"evidence":\[[^]]*\]/"evidence":""/;s/"fingerprint":"[0-9a-f]*"/"fingerprint":"0"/' run.jsonl >old.jsonl
expect "a file of the older version has today's fingerprints" 66 stdout "ID $paid" -- "$footrace" report old.jsonl
expect "a binary file" 1 stderr 'is this a file of findings\?|not JSON' -- "$footrace" report "$footrace"
head -c 40000000 /dev/zero >zeros
expect "a long line" 1 stderr 'zeros:1: a line of 38 MB is no finding' -- "$footrace" report zeros
expect "a folder" 2 stderr 'cannot read: Is a directory' -- "$footrace" report .
expect "no such file" 2 stderr 'nope.jsonl: cannot read: No such file' -- "$footrace" report nope.jsonl
expect "an unknown option" 2 stderr "unknown option '--htm'" -- "$footrace" report run.jsonl --htm x
expect "an option without its value" 2 stderr "'--html' needs a value" -- "$footrace" report run.jsonl --html
finish
