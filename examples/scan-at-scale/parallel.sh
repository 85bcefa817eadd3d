#!/bin/sh
# Scan with GNU parallel, here or on other machines over ssh. Sources, BUILD and OUT must be in a folder that all machines have
# under the same name (NFS), and Footrace must be installed on all of them.
#   parallel.sh BUILD OUT [SSHLOGINS]     SSHLOGINS as parallel takes them: 8/host1,16/user@host2 (default: this machine)
set -eu
build=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
logins=${3:-:}
footrace=${FOOTRACE:-footrace}
rm -f "$out"/*.summary # of sources that are gone
# The number, not the name: two folders may have a file of the same name.
"$footrace" scan -p "$build" --list |
  parallel --sshlogin "$logins" --halt now,fail=1 "$footrace" scan -p "$build" --unit {} -o "$out/{#}.summary"
exec "$footrace" scan --merge --cache "$out" "$out"/*.summary
