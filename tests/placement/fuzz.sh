#!/bin/sh
# Random programs against the validator: every access covered, every check legitimate (docs/testing.md).
#   fuzz.sh BUILD [--programs N] [--seed N] [--presets "A B"] [--flags "FLAGS of footrace c++"] [--per-unit N] [--jobs N] [--proxied N]
# With --proxied, at least so many checks must have been made through proxies.
# The units are spread over C and C++ and over -O0, -O2 and -O3; every preset sees every program.
build=$(cd "$1" && pwd) here=$(cd "$(dirname "$0")" && pwd) programs=1000 seed=1 presets="bigfoot" flags="" per_unit=20 jobs=$(nproc) least=0
shift
while [ $# -gt 1 ]; do
  case $1 in
  --programs) programs=$2 ;;
  --seed) seed=$2 ;;
  --presets) presets=$2 ;;
  --flags) flags=$2 ;;
  --per-unit) per_unit=$2 ;;
  --jobs) jobs=$2 ;;
  --proxied) least=$2 ;;
  *) echo "unknown option '$1'" >&2 && exit 2 ;;
  esac
  shift 2
done
work=$(mktemp -d "${TMPDIR:-/tmp}/footrace-placement-XXXXXX") || exit 1

# The combination of language and level changes with the number of the unit.
units() {
  unit=0 first=$seed last=$((seed + programs))
  while [ $first -lt $last ]; do
    case $((unit % 2)) in 0) language=c ;; *) language=c++ ;; esac
    case $((unit / 2 % 3)) in 0) level=-O0 ;; 1) level=-O2 ;; *) level=-O3 ;; esac
    count=$per_unit
    [ $((first + count)) -gt $last ] && count=$((last - first))
    for preset in $presets; do echo "$language $level $preset $first $count${flags:+ $flags}"; done
    first=$((first + count)) unit=$((unit + 1))
  done
}

units >"$work/units"
xargs -P "$jobs" -L 1 "$here/unit.sh" "$build" "$work" <"$work/units" >"$work/results"
status=$?
grep -v ": 0 violations" "$work/results"
accesses=$(awk '/: 0 violations/ { a += $7; c += $9 } END { print a + 0, "accesses,", c + 0, "checks" }' "$work/results")
proxied=$(awk '/: 0 violations/ { p += $16 } END { print p + 0 }' "$work/results")
clean=$(grep -c ": 0 violations" "$work/results")
echo "$clean of $(wc -l <"$work/units") units clean ($programs programs from seed $seed, presets: $presets${flags:+, $flags}): $accesses, $proxied proxied"
[ "$proxied" -ge "$least" ] || { echo "FAILED: fewer than $least through proxies" && exit 1; }
[ $status -eq 0 ] && [ "$clean" -eq "$(wc -l <"$work/units")" ] && rm -rf "$work"
