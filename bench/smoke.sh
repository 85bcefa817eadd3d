#!/bin/sh
# footrace bench on two programs, with every tool: it runs, its JSON has the documented fields, and it fails when it must.
#   smoke.sh BUILD-TREE
set -eu
tree=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
die() {
  echo "bench smoke: $*" >&2
  exit 1
}

"$tree/bin/footrace" bench --programs crypt,shardedmap --size small --runs 1 --build-dir "$work/build" \
  --json "$work/out.json" --html "$work/out.html" --results "$work/results.md" >"$work/table.txt" || {
  cat "$work/table.txt"
  die "footrace bench failed"
}
for field in program preset slowdown_cpu slowdown_wall memory_ratio check_ratio slow_path_ratio shadow_locations; do
  grep -q "\"$field\":" "$work/out.json" || die "no field '$field' in the JSON"
done
for preset in base tsan fasttrack; do
  [ "$(grep -c "\"preset\": \"$preset\"" "$work/out.json")" -ge 2 ] || die "no rows of $preset"
done
# Every access is checked under fasttrack, and it has counters.
grep -q '"check_ratio": 1,' "$work/out.json" || die "fasttrack has no check ratio of 1"
grep -q '"shadow_locations": [1-9]' "$work/out.json" || die "no shadow locations were counted"
grep -q 'geomean pointer' "$work/table.txt" || die "no geomean in the table"
grep -q '<svg' "$work/out.html" || die "no chart in the HTML"
if grep -Eq '(src|href)=' "$work/out.html"; then die "the HTML refers to other files"; fi
grep -q '^| crypt ' "$work/results.md" || die "no row of crypt in the results page"

# Two styles of one kernel.
"$tree/bin/footrace" bench --idioms --programs sor-nested,sor-span --presets bigfoot --size small --runs 1 \
  --build-dir "$work/build" --results "$work/results.md" >"$work/table.txt" || {
  cat "$work/table.txt"
  die "footrace bench --idioms failed"
}
grep -q '^all kernels *worst / best' "$work/table.txt" || die "idioms have no worst / best"
grep -q '^| sor | nested ' "$work/results.md" || die "no row of sor-nested in the results page"

# A program that fails makes the bench fail: here by replacing what was built.
printf '#!/bin/sh\nexit 66\n' >"$work/build/fasttrack/crypt"
code=0
"$tree/bin/footrace" bench --programs crypt --size small --runs 1 --build-dir "$work/build" >"$work/table.txt" 2>&1 || code=$?
[ "$code" = 1 ] || die "a race in a race-free program gave exit code $code"
grep -q 'FAILED.*race-free' "$work/table.txt" || die "a race in a race-free program was not shown"
