#!/bin/bash
# Instructions per operation of footrace_micro, counted by callgrind: the same on every run and every machine
# that runs the same build. usage: instructions.sh PATH/footrace_micro [NAME...]
# An operation is run n and 2n times and the difference divided by n, which leaves out its setup.
set -euo pipefail
if (($# < 1)) || [[ ! -x $1 ]]; then
  echo "usage: ${0##*/} PATH/footrace_micro [NAME...]" >&2
  exit 2
fi
if ! command -v valgrind >/dev/null; then
  echo "${0##*/}: needs valgrind (apt install valgrind)" >&2
  exit 77
fi
micro=$1
shift

# Instructions inside the measured loop for $2 iterations of $1.
count() {
  local out
  if ! out=$(valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect='*measured_loop*' \
    "$micro" --op "$1" --iterations "$2" 2>&1); then
    echo "$out" >&2
    return 1
  fi
  out=$(sed -n 's/^==[0-9]*== Collected : \([0-9]*\)$/\1/p' <<<"$out")
  # Nothing counted means that the loop was not found, not that it was free.
  if ((${out:-0} == 0)); then
    echo "${0##*/}: callgrind counted nothing in measured_loop for $1" >&2
    return 1
  fi
  echo "$out"
}

table=$("$micro" --list)
names=("$@")
((${#names[@]})) || mapfile -t names < <(cut -d' ' -f1 <<<"$table")
printf '%-32s %14s\n' operation instructions
for name in "${names[@]}"; do
  n=$(awk -v name="$name" '$1 == name { print $2 }' <<<"$table")
  if [[ -z $n ]]; then
    echo "${0##*/}: no operation '$name'; $micro --list shows them all" >&2
    exit 2
  fi
  once=$(count "$name" "$n")
  twice=$(count "$name" $((2 * n)))
  awk -v name="$name" -v delta=$((twice - once)) -v n="$n" \
    'BEGIN { printf "%-32s %14.1f\n", name, delta / n }'
done
