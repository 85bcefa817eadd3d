#!/bin/sh
# The names in docs/papers.md exist: what its tables put into `quotes` in the column of functions is an identifier, a file or an option of ours, and in the
# column of tests a test, a file or a program under test. A star stands for any characters.
#   names.sh ROOT [TABLES]
root=$(cd "$1" && pwd) tables=${2:-$1/docs/papers.md}
work=$(mktemp -d "${TMPDIR:-/tmp}/footrace-papers-XXXXXX") || exit 1
trap 'rm -rf "$work"' EXIT
cd "$root" || exit 1

folders="abi base bench check clocks detectors driver events facts findings instrument models placement prove runtime scan tests"
find $folders -type f -not -path 'tests/papers/*' >"$work/files"
grep -E '\.(h|cpp|def|c|sh|txt|cmake|py)$' "$work/files" | xargs cat | grep -oE '[A-Za-z_][A-Za-z0-9_]*' | sort -u >"$work/words"
# Suite.Test of every unit test, also where the macro goes over two lines.
grep -E '\.(cpp|h)$' "$work/files" | xargs cat | tr '\n' ' ' | grep -oE 'TEST(_[FP])?\([A-Za-z0-9_]+, *[A-Za-z0-9_]+' |
  sed -E 's/TEST(_[FP])?\(//; s/, */./' | sort -u >"$work/tests"
# "column name" of every quoted name in a table row, column 2 or 3.
awk -F'|' '/^\| / && $2 !~ /^ (paper|---)/ {
  for (c = 3; c <= 4; ++c) { n = split($c, part, "`"); for (i = 2; i <= n; i += 2) print c - 1, part[i] } }' "$tables" | sort -u >"$work/names"

matches() { # PATTERN FILE: a whole line
  grep -qE "^$(echo "$1" | sed 's/[.+?]/\\&/g; s/\*/.*/g')\$" "$2"
}
is_file() { [ -e "$1" ] || matches "$1" "$work/files" || matches "*/$1" "$work/files" || matches "*/$1/*" "$work/files"; }
# A test, a suite of tests, or what CMake names after a file: scan_suite_set_up is tests/scan/suite/set_up.cpp.
is_test() {
  matches "$1" "$work/tests" || matches "$1.*" "$work/tests" || matches "*.$1" "$work/tests" ||
    matches "*/$(echo "$1" | sed 's,_,[_/],g').*" "$work/files"
}
# Also counters, and the end of a program's name (`_later` behind `vector_walk_moved.cpp`).
is_word() { matches "$1" "$work/words" || matches "*$1.*" "$work/files"; }
# The words of an expression like `Summaries::effects` or `Window` (..).
are_words() {
  for word in $(echo "$1" | grep -oE '[A-Za-z_*][A-Za-z0-9_*]*'); do matches "$word" "$work/words" || return 1; done
}

status=0 count=0
while read -r column name; do
  count=$((count + 1))
  case $column in
  2) is_file "$name" || are_words "$name" || { echo "no such function or file: $name" && status=1; } ;;
  3) is_test "$name" || is_file "$name" || is_word "$name" || { echo "no such test: $name" && status=1; } ;;
  esac
done <"$work/names"
echo "$count names"
exit $status
