#!/bin/sh
# cpack makes a .deb and a tarball with everything in them, and the tarball runs from where it is unpacked.
#   package.sh BUILD-TREE CPACK
. "$(dirname "$0")/../driver/expect.sh"

expect "cpack" 0 -- "$2" --config "$tree/CPackConfig.cmake" -B "$work/packages"
deb=$(ls packages/footrace_*_amd64.deb)
tarball=$(ls packages/footrace-*-Linux-x86_64.tar.gz)
expect "checksums are right" 0 -- sh -c 'cd packages && sha256sum -c footrace*.sha256'

expect "the package's fields" 0 stdout '^ ?Package: footrace$' stdout 'Architecture: amd64' stdout 'Depends: .*clang-22 .*libstdc\+\+-12-dev' \
  -- dpkg-deb -I "$deb"
dpkg-deb -c "$deb" | sed 's|.*\./||' >contents.txt
for file in usr/bin/footrace 'usr/bin/footrace-clang++ -> footrace' usr/libexec/footrace/footrace-reporter usr/libexec/footrace/footrace-analysis \
  usr/libexec/footrace/footrace-scan-unit usr/lib/footrace/FootracePass.so usr/lib/footrace/libfootrace_rt.a \
  usr/lib/cmake/Footrace/FootraceConfig.cmake usr/share/doc/footrace/README.md usr/share/doc/footrace/docs/findings.md usr/share/man/man1/footrace-report.1 \
  usr/share/bash-completion/completions/footrace; do
  expect "the package has $file" 0 -- grep -qxF "$file" contents.txt
done
expect "and nothing for tests and benchmarks" 1 -- grep -E 'gtest|_test|footrace-measure|validate|libfootrace_count' contents.txt

mkdir 'an odd folder'
tar xzf "$tarball" -C 'an odd folder' --strip-components=1
prefix="$work/an odd folder"
expect "check from an unpacked tarball" 66 stderr 'racy.c:6' -- "$prefix/bin/footrace" check "$here/../driver/programs/racy.c" --findings f.jsonl
expect "scan" 66 stdout 'ledger.cpp:13' -- "$prefix/bin/footrace" scan "$here/../driver/programs/ledger.cpp"
expect "report" 66 stdout '1 finding' -- "$prefix/bin/footrace" report f.jsonl
expect "the wrapper" 0 -- "$prefix/bin/footrace-clang" "$here/../driver/programs/racy.c" -o racy
expect "what it built" 66 stderr 'racy.c:6' -- ./racy
finish
