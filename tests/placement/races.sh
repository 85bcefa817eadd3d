#!/bin/sh
# Random programs with planted races, under the detector: exactly the planted variables are reported, whatever the preset and level.
#   races.sh BUILD [--programs N] [--seed N] [--presets "A B"] [--per-unit N]
build=$(cd "$1" && pwd) programs=60 seed=500000 presets="fasttrack redcard bigfoot" per_unit=10
shift
while [ $# -gt 1 ]; do
  case $1 in
  --programs) programs=$2 ;;
  --seed) seed=$2 ;;
  --presets) presets=$2 ;;
  --per-unit) per_unit=$2 ;;
  *) echo "unknown option '$1'" >&2 && exit 2 ;;
  esac
  shift 2
done
work=$(mktemp -d "${TMPDIR:-/tmp}/footrace-races-XXXXXX") && cd "$work" || exit 1
failures=0 runs=0

# check LANGUAGE LEVEL PRESET SEED SOURCE
check() {
  case $1 in c) wrapper=cc ;; *) wrapper=c++ ;; esac
  rm -f findings
  "$build/bin/footrace" $wrapper --preset="$3" -w "$2" "$5" -o program -pthread || return 1
  timeout 120 "$build/bin/footrace" run --findings findings -- ./program >output 2>&1
  code=$?
  [ $code -eq 66 ] || { [ $code -eq 0 ] && [ ! -s expected ]; } || { echo "it ended with $code" && return 1; }
  grep -o '"region":"[a-z]*".*' findings | sed 's/"module".*//' |
    sed -n 's/.*"name":"\([^"]*\)".*/\1/p; t; s/.*\("region":"[a-z]*"\).*/\1/p' | sort -u >reported
  sort -u expected | diff - reported
}

first=$seed unit=0
while [ $first -lt $((seed + programs)) ]; do
  case $((unit % 2)) in 0) language=c source=unit.c ;; *) language=c++ source=unit.cpp ;; esac
  case $((unit % 3)) in 0) level=-O2 ;; 1) level=-O0 ;; *) level=-O3 ;; esac
  "$build/tests/placement/generate-programs" --language $language --seed $first --programs "$per_unit" --races expected >$source
  for preset in $presets; do
    runs=$((runs + 1))
    if ! check $language $level $preset $first $source >difference 2>&1; then
      failures=$((failures + 1))
      echo "FAILED $language $level $preset, seed $first ($work): '<' was not reported, '>' should not have been"
      sed 's/^/  /' difference
    fi
  done
  first=$((first + per_unit)) unit=$((unit + 1))
done
echo "$((runs - failures)) of $runs builds report exactly the planted races ($programs programs from seed $seed, presets: $presets)"
[ $failures -eq 0 ] && rm -rf "$work"
