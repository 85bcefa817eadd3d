#!/bin/sh
# The HTML page in a browser: what it shows and says, by mouse, keyboard and to a screen reader, at two widths and in both themes; 5,000 findings; hostile names.
. "$(dirname "$0")/expect.sh"
. "$here/npm.sh"
browser=$(command -v chromium || command -v google-chrome) || skip "neither chromium nor google-chrome is installed"
npm_package playwright-core 1.65.1

cp "$here/programs/ledger.cpp" .
"$footrace" check ledger.cpp --findings run.jsonl >/dev/null 2>&1
"$footrace" prove ledger.cpp --findings prove.jsonl >/dev/null 2>&1
printf 'int shared;\n#include <thread>\n// </script><script>document.title = "owned"</script>\nint main() { std::thread t([] { shared = 1; /* <img src=x onerror="document.title=1"> */ }); shared = 2; t.join(); }\n' >'<img src=x onerror=alert(1)>.cpp'
"$footrace" check '<img src=x onerror=alert(1)>.cpp' --findings hostile.jsonl >/dev/null 2>&1
sed 's/"function":"main/"function":"<b onclick=alert(1)>\&amp;<\/b><svg onload=alert(2)>/g;s/"fingerprint":"..../"fingerprint":"0000/' hostile.jsonl >hostile2.jsonl
expect "a page" 66 -- "$footrace" report run.jsonl prove.jsonl hostile.jsonl hostile2.jsonl --html page.html
python3 - <<'PYTHON'
import json
line = json.loads(open("run.jsonl").readline())
with open("many.jsonl", "w") as many:
    for number in range(5_000):
        line["fingerprint"] = "%016x" % (number * 2654435761)
        line["accesses"][0]["expression"] = line["accesses"][1]["expression"] = "object_%d.member_%d" % (number, number)
        line["memory"]["name"] = "object_%d" % number
        many.write(json.dumps(line) + "\n")
PYTHON
expect "a page of 5,000" 66 -- "$footrace" report many.jsonl --html many.html
expect "in the browser" 0 stdout '^done$' -- timeout 300 node "$here/page.js" "$package" "$browser" "$work/page.html" "$work/many.html" "${FOOTRACE_SCREENSHOTS:-}"
finish
