#!/bin/bash
# What cpack made, on a fresh minimal Debian 12: the package is installed by apt with all that it needs, every part works, it goes away again, and then the
# tarball works from a folder with a space.
#   tests/fresh-package.sh BUILD-TREE [FOLDER]      as root; packs first; see docs/testing.md
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd -P)
tree=$(cd "$1" && pwd -P)
folder=${2:-$(mktemp -d /tmp/footrace-package-XXXXXX)}
. "$root/tests/chroot.sh"
say "packing"
cpack --config "$tree/CPackConfig.cmake" -B "$folder/root/packages" >"$folder.cpack.log" || { tail "$folder.cpack.log"; exit 1; }
cp "$root/examples/bank.cpp" "$root/tests/driver/programs/ledger.cpp" "$folder/root/"

expect_code 0 'cd /root/packages && apt-get update -q && apt install -y -q ./footrace_*_amd64.deb'
expect_code 66 'cd /root && footrace check bank.cpp --findings run.jsonl'
expect_code 66 'cd /root && footrace scan ledger.cpp --findings scan.jsonl'
expect_code 66 'cd /root && footrace prove ledger.cpp --findings prove.jsonl'
expect_code 66 'cd /root && footrace report run.jsonl scan.jsonl prove.jsonl --html r.html --sarif r.sarif --text -'
expect_code 66 'cd /root && footrace-clang++ -g -O1 bank.cpp -o bank -pthread && ./bank'
expect_code 0 'test -e /usr/share/man/man1/footrace-report.1.gz || test -e /usr/share/man/man1/footrace-report.1 || grep -q path-exclude /etc/dpkg/dpkg.cfg.d/*'
expect_code 0 'apt-get remove -y -q footrace && ! command -v footrace'
expect_code 0 'mkdir "/opt/an odd place" && tar xzf /root/packages/footrace-*.tar.gz -C "/opt/an odd place" --strip-components=1'
expect_code 66 'cd /root && "/opt/an odd place/bin/footrace" check bank.cpp'
expect_code 66 'cd /root && "/opt/an odd place/bin/footrace" scan ledger.cpp'
say "the package and the tarball work on a fresh machine; $folder can be removed"
