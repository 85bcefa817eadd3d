#!/bin/sh
# Each deliberate mistake of faults.txt must make the explorer fail. For each, a copy of the one source with the mistake is compiled and
# linked before the library that has the right one.
# usage: faults.sh ROOT FOLDER COMPILER "COMPILE FLAGS" "LINK INPUTS"
set -eu
root=$1 folder=$2 compiler=$3 flags=$4 inputs=$5
rm -rf "$folder"
failures=0
trim() { printf '%s\n' "$1" | sed 's/^ *//; s/ *$//'; }

try() {
  name=$1 source=$2 program=$3 test=$4 compiled=$5
  mkdir -p "$folder/$name/$(dirname "$source")"
  sed "$program" "$root/$source" > "$folder/$name/$source"
  if cmp -s "$root/$source" "$folder/$name/$source"; then
    echo "FAILED: $name changes nothing in $source: correct faults.txt"
    return 1
  fi
  # A header counts in what includes it: the source that is named, or that of the same name.
  case $source in
  *.h)
    [ -n "$compiled" ] || compiled=${source%.h}.cpp
    mkdir -p "$folder/$name/$(dirname "$compiled")"
    cp "$root/$compiled" "$folder/$name/$compiled" ;;
  *) compiled=$source ;;
  esac
  $compiler $flags -I"$folder/$name" -I"$root" -w -c "$folder/$name/$compiled" -o "$folder/$name/fault.o" || {
    echo "FAILED: $name does not compile"
    return 1
  }
  $compiler "$folder/$name/fault.o" $inputs -o "$folder/$name/model"
  # Some never end, and remember ever more meanwhile.
  if (ulimit -v 4000000 && exec timeout 120 "$folder/$name/model" --gtest_fail_fast --gtest_filter="$test") > "$folder/$name/output" 2>&1; then
    echo "FAILED: $name was not found by $test"
    return 1
  fi
  echo "$name: $(grep -m1 -o '"[^"]*"' "$folder/$name/output" || echo 'ended by a signal or a time limit')"
}

grep -v '^#' "$root/tests/model/faults.txt" > "$folder.list"
while IFS='|' read -r name source program test compiled; do
  try "$(trim "$name")" "$(trim "$source")" "$(trim "$program")" "$(trim "$test")" "$(trim "$compiled")" || failures=1
done < "$folder.list"
exit $failures
