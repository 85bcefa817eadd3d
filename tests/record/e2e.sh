#!/bin/bash
# The end-to-end programs, recorded: their marks hold as ever, and the oracle says of the trace what the runtime has said of the run.
# usage: e2e.sh BUILD [PRESET [LEVEL [FILES and FOLDERS...]]]; RECORD_ALL=1: with `footrace record --all`
set -euo pipefail
build=$(realpath "$1")
preset=${2:-fasttrack}
level=${3:-O1}
shift $(($# < 3 ? $# : 3))
here=$(dirname "$(realpath "$0")")
suite=$(realpath "$here/../e2e")
work=$build/tests/record/e2e
rm -rf "$work"
mkdir -p "$work"
unset FOOTRACE_OPTIONS TSAN_OPTIONS

one() {
  local source=$1 name
  name=${source#"$suite"/}
  name=${name//\//.}
  if ! "$build/tests/e2e/e2e-verify" --cc="$build/bin/footrace-clang" --cxx="$build/bin/footrace-clang++" \
    --suite="$suite" --work="$work/$name.dir" --level="$level" --preset="$preset" \
    --recorder="$build/bin/footrace" --judge="$build/tests/record/same_verdict" ${RECORD_ALL:+--record-all} "$source" >"$work/$name.log" 2>&1; then
    cat "$work/$name.log"
    return 1
  fi
  grep "^not judged" "$work/$name.log" || true
  rm -rf "$work/$name.dir"
}
export -f one
export build preset level suite work

# What needs another library or processor is left to tests/e2e.
mapfile -t sources < <(grep -rl --include='*.c' --include='*.cpp' '// RUN: %e2e %s' "${@:-$suite}" | xargs grep -L 'REQUIRES:' |
  grep -v -F -f <(sed 's,#.*,,; /^ *$/d; s,^,/,' "$here/not_alike.txt") | sort)
((${#sources[@]})) || { echo "no programs" >&2; exit 2; }
printf '%s\0' "${sources[@]}" | xargs -0 -n 1 -P "${FOOTRACE_JOBS:-$(nproc)}" bash -c 'one "$0"'
echo "${#sources[@]} programs, recorded with $preset at $level"
