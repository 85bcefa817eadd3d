#!/bin/sh
# One translation unit of random programs: generate, build with --validate-placement, run, validate.
#   unit.sh BUILD WORK LANGUAGE LEVEL PRESET SEED PROGRAMS [MORE FLAGS]
# Prints one line per unit; on failure what was wrong and how to get there again.
build=$(cd "$1" && pwd) work=$2 language=$3 level=$4 preset=$5 seed=$6 programs=$7
shift 7
flags=$*
tools=$build/tests/placement
case $language in
c) wrapper=cc source=unit.c ;;
*) wrapper=c++ source=unit.cpp ;;
esac
folder=$work/$language-$level-$preset-$seed
mkdir -p "$folder" && cd "$folder" || exit 1

fail() {
  echo "FAILED $folder: $1"
  echo "  again: $(dirname "$0")/unit.sh $build $work $language $level $preset $seed $programs $flags"
  grep -v "^ *#.*\(clang::\|libclang\|__libc\|_start\)" output | sed "s,^,  ," | tail -n 20
  exit 1
}

"$tools/generate-programs" --language "$language" --seed "$seed" --programs "$programs" >"$source" || exit 1
"$build/bin/footrace" $wrapper --validate-placement --preset="$preset" -w "$level" -fno-crash-diagnostics "$@" "$source" -o program -pthread \
  >output 2>&1 || fail "it does not compile"
FOOTRACE_PLACEMENT_LOG=$folder/log timeout 120 ./program >output 2>&1 || fail "it ended with $?"
"$tools/validate-placement" log >output 2>&1 || fail "the placement is not precise"
summary=$(tail -n 1 output)
case $summary in
*" 0 accesses"*) fail "nothing was recorded" ;;
esac
echo "$language $level $preset $seed: $summary"
rm -rf "$folder"
