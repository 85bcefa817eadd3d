# Sourced by the tests of the driver: expectations, and a folder to work in that goes away.
# Called as: TEST.sh BUILD-TREE
set -u
tree=$1
here=$(cd "$(dirname "$0")" && pwd)
footrace=$tree/bin/footrace
cc=$tree/bin/footrace-clang
cxx=$tree/bin/footrace-clang++
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset FOOTRACE_OPTIONS TSAN_OPTIONS FOOTRACE_CLANG FOOTRACE_REPORTER NO_COLOR
failures=0
expectations=0

# expect WHAT CODE [stdout|stderr PATTERN]... -- COMMAND...: runs the command; its exit code and output must match (grep -E).
expect() {
  what=$1 code=$2
  shift 2
  checks=
  while [ "$1" != -- ]; do
    checks="$checks$1 $2
"
    shift 2
  done
  shift
  expectations=$((expectations + 1))
  "$@" >out.txt 2>err.txt </dev/null
  got=$?
  bad=
  [ "$got" = "$code" ] || bad="exit code $got, not $code"
  while read -r stream pattern; do
    case $stream in
    stdout) grep -qE -e "$pattern" out.txt || bad="$bad; no '$pattern' on standard output" ;;
    stderr) grep -qE -e "$pattern" err.txt || bad="$bad; no '$pattern' on standard error" ;;
    esac
  done <<CHECKS
$checks
CHECKS
  [ -z "$bad" ] && return 0
  failures=$((failures + 1))
  printf 'FAILED: %s: %s\n  command: %s\n' "$what" "$bad" "$*"
  sed 's/^/  out: /' out.txt | head -n 20
  sed 's/^/  err: /' err.txt | head -n 20
  return 1
}

finish() {
  printf '%s expectations, %s failed\n' "$expectations" "$failures"
  [ "$expectations" -gt 0 ] && [ "$failures" = 0 ]
  exit
}
