#!/bin/sh
# exits.sh CODE COMMAND...: succeeds if the command ends with exactly that exit code.
wanted=$1
shift
"$@"
got=$?
[ "$got" -eq "$wanted" ] && exit 0
echo "exit code $got, expected $wanted: $*" >&2
exit 1
