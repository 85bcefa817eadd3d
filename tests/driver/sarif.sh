#!/bin/sh
# The public validator accepts our SARIF, with the rules of the format and those of GitHub's code scanning; and what GitHub says of its limits holds.
. "$(dirname "$0")/expect.sh"
. "$here/npm.sh"
npm_package @microsoft/sarif-multitool 5.7.0
validator=$tree/npm/node_modules/@microsoft/sarif-multitool-linux/Sarif.Multitool
chmod u+x "$validator" 2>/dev/null
"$validator" --version >version.txt 2>&1 || skip "the validator does not run here: $(tail -n 1 version.txt)"

validate() { # errors and warnings; it ends with 0 whatever it finds
  "$validator" validate "$1" --rule-kind 'Sarif;Ghas' --level 'Error;Warning' --output validated.sarif --log ForceOverwrite 2>&1
}
# valid FILE: nothing is wrong but that there is no address of the tool to be had.
valid() {
  validate "$1" >validated.txt
  grep -q 'Analysis completed successfully' validated.txt && ! grep -E ': (error|warning) ' validated.txt | grep -v SARIF2005
}

# Findings of every part, with odd names, without lines, of freed memory, and with a baseline and suppressions.
cp "$here/programs/ledger.cpp" "$here/programs/racy.c" .
"$footrace" check ledger.cpp --findings run.jsonl >/dev/null 2>&1
"$footrace" scan ledger.cpp --findings scan.jsonl >/dev/null 2>&1
"$footrace" prove ledger.cpp --findings prove.jsonl >/dev/null 2>&1
"$cc" -O1 racy.c -o racy && "$footrace" run --findings lines.jsonl -- ./racy >/dev/null 2>&1
sed 's/"line":[0-9]*/"line":0/g;s/"file":"[^"]*"/"file":""/g' lines.jsonl >no-lines.jsonl
printf 'int shared;\n#include <thread>\nint main() { std::thread t([] { shared = 1; /* [x](1) <b> */ }); shared = 2; t.join(); }\n' >'[x](1) & 100%?#.cpp'
"$footrace" check '[x](1) & 100%?#.cpp' --findings odd.jsonl >/dev/null 2>&1
printf '#include <thread>\nint main() { int* p = new int(1); std::thread t([=] { *p = 2; }); delete p; t.join(); }\n' >freed.cpp
"$footrace" check freed.cpp --findings freed.jsonl >/dev/null 2>&1
for part in run scan prove no-lines odd freed; do
  expect "findings of $part" 66 -- "$footrace" report $part.jsonl --sarif $part.sarif --text $part.txt
  expect "are valid" 0 -- valid $part.sarif
done
all="run.jsonl scan.jsonl prove.jsonl no-lines.jsonl odd.jsonl freed.jsonl"
echo 'race:increment' >s
expect "all, some of them known and one suppressed" 66 -- "$footrace" report $all --baseline run.jsonl --suppressions s --sarif all.sarif
expect "are valid" 0 -- valid all.sarif
expect "nothing at all" 0 -- "$footrace" report /dev/null --sarif none.sarif
expect "is valid" 0 -- valid none.sarif

# The test can fail.
sed 's/"semanticVersion"/"nonsense"/' all.sarif >bad.sarif
expect "what is wrong is found" 1 stdout 'error JSON' -- valid bad.sarif
sed 's/"startLine": [1-9]/"startLine": 0/' all.sarif >bad.sarif
expect "a line 0" 1 stdout 'error ' -- valid bad.sarif

# GitHub's own rules, of which the validator knows some only.
cat >github.py <<'PYTHON'
import gzip, json, sys
text = open(sys.argv[1], "rb").read()
log = json.loads(text)
assert len(gzip.compress(text)) <= 10_000_000, "more than 10 MB"
assert len(log["runs"]) <= 20
for run in log["runs"]:
    rules = run["tool"]["driver"]["rules"]
    assert len(rules) <= 25_000 and len(run["results"]) <= 25_000
    for rule in rules:
        for field in ("shortDescription", "fullDescription", "help"):
            assert 0 < len(rule[field]["text"]) <= 1024, field
        assert len(rule["properties"]["tags"]) <= 20
    fingerprints = [result["partialFingerprints"]["primaryLocationLineHash"] for result in run["results"]]
    assert len(set(fingerprints)) == len(fingerprints), "results would be taken for one"
    for result in run["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert len(result["locations"]) == 1, "without a location the whole file is refused; only the first is shown"
        place = result["locations"][0]["physicalLocation"]
        assert place["artifactLocation"]["uri"] and place["region"]["startLine"] >= 1
        assert sum(len(flow["locations"]) for one in result.get("codeFlows", []) for flow in one["threadFlows"]) <= 10_000
        ids = {related.get("id") for related in result["relatedLocations"]}
        assert ("](1)" in result["message"]["text"].replace("\\](1)", "")) <= (1 in ids), "a link to nowhere"
PYTHON
for part in run scan prove no-lines odd freed all none; do
  expect "GitHub's rules for $part" 0 -- python3 github.py $part.sarif
done
# As many as are taken, and more.
python3 - <<'PYTHON'
import json
line = json.loads(open("run.jsonl").readline())
with open("many.jsonl", "w") as many:
    for number in range(25_100):
        line["fingerprint"] = "%016x" % (number * 2654435761)
        line["accesses"][0]["expression"] = "object_%d.member" % number
        many.write(json.dumps(line) + "\n")
PYTHON
expect "25,100 findings" 66 -- "$footrace" report many.jsonl --sarif many.sarif --text many.txt
expect "are within GitHub's limits" 0 -- python3 github.py many.sarif
finish
