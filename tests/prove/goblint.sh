#!/bin/sh
# Runs `footrace prove` on the regression tests of Goblint and prints a table by category.
#
#   tests/prove/goblint.sh CHECKOUT [FOOTRACE] [OUTPUT-DIRECTORY]
#
# CHECKOUT is a clone of https://github.com/goblint/analyzer; FOOTRACE is the command (default: footrace). Every C file
# of tests/regression that marks a line with RACE! or NORACE is a program of its own. A NORACE line is proved if no pair
# that is left has an access there and everything was modelled; a RACE! line is found if a pair has. The lines that are
# neither are listed in OUTPUT-DIRECTORY/lines.
set -eu
checkout=${1:?usage: goblint.sh CHECKOUT [FOOTRACE] [OUTPUT-DIRECTORY]}
footrace=${2:-footrace}
output=${3:-$(mktemp -d)}
mkdir -p "$output"

# What the tests call to talk to Goblint.
cat > "$output/stubs.c" <<'STUBS'
void __goblint_check(int expression) {}
void __goblint_assume(int expression) {}
void __goblint_assert(int expression) {}
STUBS

# Old C is no error.
prove() {
  format=$1
  shift
  "$footrace" prove --format "$format" "$@" "$output/stubs.c" -- -std=gnu17 -I"$checkout/lib/goblint/runtime/include" \
    -Wno-error=implicit-function-declaration -Wno-implicit-int -Wno-int-conversion -Wno-incompatible-pointer-types \
    -Wno-return-type
}

# RESULT.json has the pairs, RESULT.code the exit code, RESULT.unmodelled what was not modelled.
prove_file() {
  code=0
  prove json "$1" > "$2.json" 2> "$2.err" || code=$?
  echo "$code" > "$2.code"
  prove text "$1" 2>> "$2.err" | grep '^not modelled' > "$2.unmodelled" || true
}

# "STATE file:line" for every marked line of a file.
judge_lines() {
  grep -o '"location":{[^}]*}' "$2.json" | grep -F "$(basename "$1")" | sed 's/.*"line":\([0-9]*\).*/\1/' | sort -un > "$2.lines" || true
  unmodelled=0
  if [ -s "$2.unmodelled" ]; then unmodelled=1; fi
  awk -v name="$3" -v unmodelled="$unmodelled" '
    FILENAME == ARGV[1] { reported[$1 + 0] = 1; next }
    /NORACE/ { print (FNR in reported ? "pairs" : unmodelled ? "unknown" : "proved"), name ":" FNR; next }
    /RACE!/ { print (FNR in reported ? "found" : "missed"), name ":" FNR }' "$2.lines" "$1"
}

: > "$output/lines"
for file in $(cd "$checkout/tests/regression" && grep -lE 'NORACE|RACE!' */*.c); do
  result=$output/$(echo "$file" | tr / -)
  prove_file "$checkout/tests/regression/$file" "$result"
  case $(cat "$result.code") in
  0 | 3 | 66) judge_lines "$checkout/tests/regression/$file" "$result" "$file" >> "$output/lines" ;;
  *) echo "not-compiled $file" >> "$output/lines" ;;
  esac
done

echo '| category | `NORACE` proved | not proved: pairs | not proved: unknown code | `RACE!` found | `RACE!` missed |'
echo '|---|---|---|---|---|---|'
awk '
  $1 == "not-compiled" { next }
  { split($2, path, "/"); count[path[1], $1]++; count["all", $1]++; seen[path[1]] }
  END {
    for (category in seen) print row(category) | "sort"
    close("sort")
    print row("all")
  }
  function row(category) {
    return sprintf("| %s | %d of %d | %d | %d | %d of %d | %d |", category, count[category, "proved"],
      count[category, "proved"] + count[category, "pairs"] + count[category, "unknown"], count[category, "pairs"],
      count[category, "unknown"], count[category, "found"], count[category, "found"] + count[category, "missed"],
      count[category, "missed"])
  }' "$output/lines"
echo
echo "not compiled: $(grep -c not-compiled "$output/lines" || true) files; every line is judged in $output/lines"
