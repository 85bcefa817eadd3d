#!/bin/sh
# Scan on a Slurm cluster: a job array that makes the summaries and a job that merges them once all are there. Sources, BUILD and
# OUT must be in a folder that all nodes have.
#   slurm.sh BUILD OUT [SOURCES-PER-TASK]
# The findings are in OUT/findings.jsonl, what a person reads is in OUT/report.txt.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
each=${3:-1}
export FOOTRACE="${FOOTRACE:-footrace}"
rm -f "$out"/*.summary
"$FOOTRACE" scan -p "$build" --list >"$out/sources.txt"
tasks=$((($(wc -l <"$out/sources.txt") + each - 1) / each))
units=$(sbatch --parsable --array="1-$tasks" --output="$out/unit-%a.log" "$here/slurm.sbatch" "$build" "$out" "$each")
# 66 says that races were found: the job did its work.
sbatch --parsable --dependency="afterok:$units" --output="$out/merge.log" --wrap "
  '$FOOTRACE' scan --merge --cache '$out' --findings '$out/findings.jsonl' '$out'/*.summary >'$out/report.txt'
  code=\$?
  [ \$code = 66 ] || exit \$code"
