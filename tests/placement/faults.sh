#!/bin/sh
# Plants every fault at every check of faults/faulty.c, one at a time: the validator must find each. Without a fault it must be silent.
#   faults.sh BUILD PRESET...
build=$(cd "$1" && pwd) source=$(cd "$(dirname "$0")" && pwd)/faults/faulty.c
shift
work=$(mktemp -d "${TMPDIR:-/tmp}/footrace-faults-XXXXXX") && cd "$work" || exit 1
plugin=$build/tests/placement/placement-faults.so
missed=0 planted=0

# try PRESET LEVEL FAULT NUMBER: builds, runs and validates; the compiler says what was planted in `said`
try() {
  "$build/bin/footrace" cc --validate-placement --preset="$1" -w "$2" -Xclang -load -Xclang "$plugin" -fpass-plugin="$plugin" \
    -Xclang -mllvm -Xclang -placement-fault="$3" -Xclang -mllvm -Xclang -placement-fault-number="$4" \
    "$source" -o program -pthread 2>said || { cat said && exit 1; }
  FOOTRACE_PLACEMENT_LOG=log ./program || exit 1
  "$build/tests/placement/validate-placement" log >verdict
}

for preset; do
  for level in -O0 -O2; do
    try "$preset" $level none 0 || { echo "FAILED $preset $level without a fault" && cat verdict && exit 1; }
  done
  for fault in drop past-sync before-sync widen weaken unproxy; do
    before=$planted
    for level in -O0 -O2; do
      number=0
      while try "$preset" $level $fault $number && found=no || found=yes; [ -s said ]; do
        planted=$((planted + 1)) number=$((number + 1))
        [ $found = yes ] && continue
        missed=$((missed + 1))
        echo "MISSED $preset $level: $(cat said)"
      done
    done
    [ $planted -gt $before ] || { echo "FAILED $preset: there is nothing to which '$fault' can be done" && exit 1; }
  done
done
echo "$((planted - missed)) of $planted faults found"
[ $missed -eq 0 ] && [ $planted -gt 0 ] && rm -rf "$work"
