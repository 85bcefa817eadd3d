#!/bin/sh
# fuzz.sh BUILD-TREE GENERATOR [--programs N] [--seed FIRST]: random programs (generate.cpp) at random levels, presets and processors. Each must run without
# a report, and with one as its twin.
set -u
tree=$1
generator=$2
shift 2
programs=100
seed=1
while [ $# -gt 1 ]; do
  case $1 in
  --programs) programs=$2 ;;
  --seed) seed=$2 ;;
  *)
    echo "fuzz.sh: unknown option '$1'" >&2
    exit 2
    ;;
  esac
  shift 2
done
include=$(cd "$(dirname "$0")/../e2e/include" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unset FOOTRACE_OPTIONS TSAN_OPTIONS
pick() { # pick NUMBER WORD...: one of the words
  n=$1
  shift
  shift $((n % $#))
  echo "$1"
}
processors=x86-64
grep -qw avx2 /proc/cpuinfo && processors="$processors x86-64-v3"
grep -qw avx512vl /proc/cpuinfo && processors="$processors x86-64-v4"
deviations=0
twins=0
last=$((seed + programs))
while [ "$seed" -lt "$last" ]; do
  level=$(pick $((seed / 3)) -O1 -O2 -O3 -Os)
  preset=$(pick $((seed / 12)) fasttrack bigfoot redcard slimstate)
  march=$(pick "$seed" $processors)
  command="$tree/bin/footrace-clang -D_GNU_SOURCE -w -pthread -g $level -march=$march --preset=$preset -I$include $work/program.c -o $work/program"
  "$generator" "$seed" >"$work/program.c" || exit 1
  $command || exit 1
  FOOTRACE_OPTIONS=report_limit=3 timeout 60 "$work/program" >"$work/out" 2>"$work/err"
  code=$?
  if [ $code -ne 0 ]; then
    deviations=$((deviations + 1))
    echo "DEVIATION: seed $seed: exit code $code: $level -march=$march --preset=$preset"
    head -n 12 "$work/err"
  fi
  timeout 60 "$work/program" twin >"$work/out" 2>"$work/err"
  code=$?
  if grep -q twin "$work/out"; then
    twins=$((twins + 1))
    if [ $code -ne 66 ]; then
      deviations=$((deviations + 1))
      echo "DEVIATION: seed $seed: the twin is not reported (exit code $code): $level -march=$march --preset=$preset"
    fi
  fi
  seed=$((seed + 1))
done
echo "$programs programs, $twins twins, $deviations deviations"
[ "$deviations" -eq 0 ] && [ "$twins" -gt 0 ]
