#!/bin/bash
# What recording costs, and how large traces are: each program of bench/programs without instrumentation, instrumented, and recorded; wall time, best of RUNS, the
# three one after the other in each round. usage: record.sh BUILD [--size SIZE] [--runs N] [--preset NAME] [--work DIR] [PROGRAM...]
set -euo pipefail
if (($# < 1)) || [[ ! -x $1/bin/footrace ]]; then
  echo "usage: ${0##*/} BUILD [--size SIZE] [--runs N] [--preset NAME] [--work DIR] [PROGRAM...]" >&2
  exit 2
fi
build=$(realpath "$1")
shift
size=small runs=3 preset=bigfoot work=
while (($#)) && [[ $1 == --* ]]; do
  (($# > 1)) || { echo "${0##*/}: $1 needs a value" >&2; exit 2; }
  case $1 in
  --size) size=$2 ;;
  --runs) runs=$2 ;;
  --preset) preset=$2 ;;
  --work) work=$2 ;;
  *) echo "${0##*/}: unknown option $1" >&2; exit 2 ;;
  esac
  shift 2
done
programs=$(realpath "$(dirname "$0")/programs")
names=("$@")
((${#names[@]})) || mapfile -t names < <(sed -n 's/^FR_PROGRAM(\([a-z]*\),.*/\1/p' "$programs/programs.def")
if [[ -z $work ]]; then
  work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
fi
mkdir -p "$work"
export FOOTRACE_OPTIONS=report_bugs=0

seconds() { # of the command; it must succeed
  local begin end
  begin=$(date +%s%N)
  "$@" >"$work/out" 2>&1 || { echo "failed: $*" >&2; cat "$work/out" >&2; return 1; }
  end=$(date +%s%N)
  echo $((end - begin))
}
least() { echo $(($1 && $1 < $2 ? $1 : $2)); }

printf '%-13s %9s %9s %9s %8s %11s %12s %8s\n' program "plain ms" checked recorded "rec/chk" events bytes per.event
for name in "${names[@]}"; do
  flags=(-std=c++20 -O2 -g -pthread -I"$programs/../.." "$programs/$name.cpp")
  clang++-22 "${flags[@]}" -o "$work/$name.plain"
  "$build/bin/footrace-clang++" --preset="$preset" "${flags[@]}" -o "$work/$name.checked"
  plain=0 checked=0 recorded=0
  for ((i = 0; i < runs; ++i)); do
    plain=$(least $plain "$(seconds "$work/$name.plain" --size "$size")")
    checked=$(least $checked "$(seconds "$work/$name.checked" --size "$size")")
    recorded=$(least $recorded "$(seconds "$build/bin/footrace" record -o "$work/$name.ftr" -- "$work/$name.checked" --size "$size")")
  done
  events=$(sed -n "s/.*\.ftr': \([0-9]*\) events.*/\1/p" "$work/out")
  bytes=$(stat -c %s "$work/$name.ftr")
  rm -f "$work/$name.ftr" "$work/$name.plain" "$work/$name.checked"
  awk -v n="$name" -v p=$plain -v c=$checked -v r=$recorded -v e="$events" -v b="$bytes" 'BEGIN {
    printf "%-13s %9.0f %8.2fx %8.2fx %8.2f %11d %12d %8.2f\n", n, p / 1e6, c / p, r / p, r / c, e, b, e ? b / e : 0 }'
done | tee "$work/table"
awk '{ c += log($3); r += log($4); n++; e += $6; b += $7 } END {
  printf "%-13s %9s %8.2fx %8.2fx %8.2f %11d %12d %8.2f\n", "geomean, sum", "", exp(c / n), exp(r / n), exp(r / n) / exp(c / n), e, b, e ? b / e : 0 }' "$work/table"
