#!/bin/sh
# Every line of these sources was reached by a scenario: what is not reached is not explored.
# usage: coverage.sh LLVM_BIN PROGRAM PROFILE ROOT SOURCE...
set -eu
llvm=$1 program=$2 profile=$3 root=$4
shift 4
"$llvm/llvm-profdata" merge -o "$profile.merged" "$profile"
for source in "$@"; do
  "$llvm/llvm-cov" export -format=lcov -instr-profile="$profile.merged" "$program" "$root/$source" > "$profile.lines"
  grep -q '^DA:' "$profile.lines" || { echo "$source: nothing is known of it"; exit 1; }
  sed -n 's/^DA:\([0-9]*\),0$/\1/p' "$profile.lines" | while read -r line; do
    echo "$source:$line: not reached: $(sed -n "${line}p" "$root/$source")"
  done
done > "$profile.missed"
cat "$profile.missed"
[ ! -s "$profile.missed" ]
