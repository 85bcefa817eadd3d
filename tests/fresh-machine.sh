#!/bin/bash
# Both commands of the README on a fresh minimal Debian 12: a chroot, so that no package of this machine can help.
#   tests/fresh-machine.sh [FOLDER]      as root; see docs/testing.md
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd -P)
[ "$(id -u)" = 0 ] || { echo "fresh-machine: needs root for chroot and mount" >&2; exit 2; }
command -v debootstrap >/dev/null || { echo "fresh-machine: apt-get install debootstrap" >&2; exit 2; }
folder=${1:-$(mktemp -d /tmp/footrace-fresh-XXXXXX)}
mirror=${MIRROR:-http://deb.debian.org/debian}
say() { echo "== $*"; }

say "making a minimal Debian 12 in $folder"
debootstrap --variant=minbase bookworm "$folder" "$mirror" >"$folder.log" 2>&1 || { tail "$folder.log"; exit 1; }
rm -f "$folder/etc/apt/sources.list"
cp /etc/apt/sources.list.d/debian.sources "$folder/etc/apt/sources.list.d/" 2>/dev/null || cp /etc/apt/sources.list "$folder/etc/apt/"
cp /etc/apt/apt.conf.d/* "$folder/etc/apt/apt.conf.d/"
cp /etc/hosts /etc/resolv.conf "$folder/etc/"
mount -t proc proc "$folder/proc"
trap 'umount "$folder/proc"' EXIT

git clone --quiet --no-hardlinks "$root" "$folder/root/footrace"
inside() { chroot "$folder" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LANG=C.UTF-8 bash -c "$1"; }
expect_code() {
  local wanted=$1 code=0
  say "$2"
  time inside "$2" || code=$?
  [ "$code" = "$wanted" ] || { echo "fresh-machine: exit code $code, not $wanted" >&2; exit 1; }
}

expect_code 66 'cd /root/footrace && ./footrace check examples/bank.cpp'
expect_code 66 'cd / && /root/footrace/footrace check /root/footrace/examples/bank.cpp'
expect_code 0 'cd /root/footrace && ./footrace self-test'
expect_code 0 'cd /tmp && /root/footrace/footrace self-test'
say "both commands work on a fresh machine; $folder can be removed"
