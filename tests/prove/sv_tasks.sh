#!/bin/sh
# Runs `footrace prove --format sv` on tasks of the verification community and compares with the expected verdicts.
#
#   tests/prove/sv_tasks.sh FOLDER [FOOTRACE] [SECONDS] [PROVE-OPTIONS...]
#
# A task is a .yml file anywhere in FOLDER that has a verdict for no-data-race. Prints "EXPECTED ANSWER SECONDS TASK" for each of them, then how often
# each combination came. Fails if a task with a race was called true, or one without was called false.
set -eu
folder=${1:?usage: sv_tasks.sh FOLDER [FOOTRACE] [SECONDS] [PROVE-OPTIONS...]}
footrace=${2:-footrace}
seconds=${3:-60}
shift $(($# < 3 ? $# : 3))
results=$(mktemp)
trap 'rm -f "$results"' EXIT

# The verdict of the first property that is about data races; nothing if there is none.
expected_verdict() {
  sed -n '/no-data-race/{n;s/.*expected_verdict: *\([a-z]*\).*/\1/p;q;}' "$1"
}

input_of() {
  sed -n "s/^input_files: *['\"]*\\([^'\"]*\\)['\"]*.*/\\1/p" "$1"
}

word_size_of() {
  if grep -q 'data_model: *ILP32' "$1"; then echo -m32; else echo -m64; fi
}

find "$folder" -name '*.yml' | sort | while read -r task; do
  expected=$(expected_verdict "$task")
  [ -n "$expected" ] || continue
  input=$(dirname "$task")/$(input_of "$task")
  [ -f "$input" ] || continue
  begin=$(date +%s)
  answer=$("$footrace" prove --format sv --timeout "$seconds" "$@" "$input" -- -w -std=gnu17 "$(word_size_of "$task")" \
    -Wno-error=implicit-function-declaration -Wno-implicit-int -Wno-int-conversion -Wno-incompatible-pointer-types \
    2> /dev/null | tail -n 1) || true
  echo "$expected ${answer:-none} $(($(date +%s) - begin)) $task" | tee -a "$results"
done

echo
echo "tasks expected answer"
cut -d ' ' -f 1,2 "$results" | sort | uniq -c
if grep -E '^(false true|true false) ' "$results"; then exit 1; fi
