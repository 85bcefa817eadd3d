#!/bin/bash
# Both commands of the README on a fresh minimal Debian 12: a chroot, so that no package of this machine can help.
#   tests/fresh-machine.sh [FOLDER]      as root; see docs/testing.md
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd -P)
folder=${1:-$(mktemp -d /tmp/footrace-fresh-XXXXXX)}
. "$root/tests/chroot.sh"
git clone --quiet --no-hardlinks "$root" "$folder/root/footrace"

expect_code 66 'cd /root/footrace && ./footrace check examples/bank.cpp'
expect_code 66 'cd / && /root/footrace/footrace check /root/footrace/examples/bank.cpp'
expect_code 0 'cd /root/footrace && ./footrace self-test'
expect_code 0 'cd /tmp && /root/footrace/footrace self-test'
say "both commands work on a fresh machine; $folder can be removed"
