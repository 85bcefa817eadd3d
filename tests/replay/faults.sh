#!/bin/sh
# Each deliberate mistake of faults.txt must make a detector differ from the oracle: a copy of the one source with the mistake is compiled and linked before the library that has the right one.
# usage: faults.sh ROOT FOLDER COMPILER "LIBRARIES" "OBJECTS" "OBJECTS OF PREDICTIVE_PROPERTY" "OBJECTS OF SERIALIZABILITY_PROPERTY"
set -eu
root=$1 folder=$2 compiler=$3 libraries=$4 precise=$5 predictive=$6 serializability=$7
rm -rf "$folder"
failures=0
trim() { printf '%s\n' "$1" | sed 's/^ *//; s/ *$//'; }

try() {
  name=$1 source=$2 program=$3 detector=$4 compiled=${5:-$2}
  mkdir -p "$folder/$name/$(dirname "$source")" "$folder/$name/$(dirname "$compiled")"
  [ "$compiled" = "$source" ] || cp "$root/$compiled" "$folder/$name/$compiled"
  sed "$program" "$root/$source" > "$folder/$name/$source"
  if cmp -s "$root/$source" "$folder/$name/$source"; then
    echo "FAILED: $name changes nothing in $source: correct faults.txt"
    return 1
  fi
  $compiler -std=c++20 -O1 -I"$folder/$name" -I"$root" -w -c "$folder/$name/$compiled" -o "$folder/$name/fault.o" || {
    echo "FAILED: $name does not compile"
    return 1
  }
  case $detector in
  SHB | SyncP) objects=$predictive choice= ;;
  Velodrome) objects=$serializability choice= ;;
  *) objects=$precise choice="--detector $detector" ;;
  esac
  $compiler "$folder/$name/fault.o" $objects $libraries -o "$folder/$name/compare"
  code=0
  (ulimit -v 4000000 && exec timeout 60 "$folder/$name/compare" --traces 20000 $choice) > "$folder/$name/output" 2>&1 || code=$?
  if [ "$code" -ne 1 ]; then
    echo "FAILED: $name was not found with $detector (exit code $code)"
    return 1
  fi
  echo "$name: $(grep -m1 '^FAILED' "$folder/$name/output" | cut -c9-)"
}

grep -v '^#' "$root/tests/replay/faults.txt" > "$folder.list"
while IFS='|' read -r name source program detector compiled; do
  try "$(trim "$name")" "$(trim "$source")" "$(trim "$program")" "$(trim "$detector")" "$(trim "$compiled")" || failures=1
done < "$folder.list"
exit $failures
