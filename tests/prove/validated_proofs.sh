#!/bin/sh
# Placement with proofs stays precise: random programs are proved, built with --use-proofs and --validate-placement, run, and validated.
#   validated_proofs.sh BUILD
# What is proved is not recorded; everything else must be checked as without proofs.
build=$(cd "$1" && pwd)
tools=$build/tests/placement
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0

unit() { # LANGUAGE WRAPPER SOURCE PRESET SEED
  name="$1 $4 $5"
  "$tools/generate-programs" --language "$1" --seed "$5" --programs 5 >"$3"
  "$build/bin/footrace" prove --format sv "$3" --proofs=proofs -- -O2 -g -w -pthread >verdict 2>&1
  [ -s proofs ] || { echo "FAILED $name: no proofs"; cat verdict; failed=1; return; }
  "$build/bin/footrace" "$2" --preset="$4" --stats --validate-placement --use-proofs=proofs -O2 -g -w "$3" -o program -pthread >output 2>&1 ||
    { echo "FAILED $name: it does not compile"; tail -n 5 output; failed=1; return; }
  grep -q '[1-9][0-9]* left out: proved-race-free' output || { echo "FAILED $name: proofs were of no use"; failed=1; return; }
  FOOTRACE_PLACEMENT_LOG=$work/log timeout 120 ./program >output 2>&1 || { echo "FAILED $name: it ended with $?"; failed=1; return; }
  "$tools/validate-placement" log >output 2>&1 || { echo "FAILED $name: not precise"; tail -n 20 output; failed=1; return; }
  echo "$name: $(tail -n 1 output)"
  rm -f proofs log
}

for seed in 1 2 3 4 5 6; do
  for preset in redcard bigfoot; do unit c cc unit.c $preset $seed; done
done
for seed in 1 2; do unit c++ c++ unit.cpp bigfoot $seed; done
exit $failed
