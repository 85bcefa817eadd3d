#!/bin/sh
# cmake --install gives a tree that works, also after it has been moved, and that find_package(Footrace) finds.
#   install.sh BUILD-TREE CLANG CLANG++
. "$(dirname "$0")/../driver/expect.sh"

expect "install" 0 -- cmake --install "$tree" --prefix "$work/first"
mv first moved # nothing in it may know where it was
prefix=$work/moved
for file in bin/footrace bin/footrace-clang bin/footrace-clang++ bin/footrace-llvm-ar bin/footrace-llvm-ranlib libexec/footrace/footrace-reporter \
  lib/footrace/libfootrace_rt.a lib/footrace/libfootrace_rt.syms lib/footrace/FootracePass.so \
  libexec/footrace/footrace-analysis libexec/footrace/footrace-scan-unit lib/cmake/Footrace/FootraceConfig.cmake; do
  expect "$file is there" 0 -- test -e "$prefix/$file"
done
expect "check" 66 stderr 'racy.c:6' -- "$prefix/bin/footrace" check "$here/../driver/programs/racy.c"
expect "scan" 66 stdout 'ledger.cpp:13' -- "$prefix/bin/footrace" scan "$here/../driver/programs/ledger.cpp"
expect "prove" 66 stdout 'ledger.cpp:13' -- "$prefix/bin/footrace" prove "$here/../driver/programs/ledger.cpp"
mv "$prefix/libexec/footrace/footrace-analysis" away
expect "a tree without the analyses" 1 stderr "'scan' needs '.*footrace-analysis', which is not there" -- "$prefix/bin/footrace" scan x.cpp
expect "checks all the same" 66 stderr 'racy.c:6' -- "$prefix/bin/footrace" check "$here/../driver/programs/racy.c"
mv away "$prefix/libexec/footrace/footrace-analysis"

expect "a project finds it" 0 -- cmake -S "$here/project" -B build -G Ninja -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_C_COMPILER="$2" -DCMAKE_CXX_COMPILER="$3"
expect "the project builds" 0 -- cmake --build build
expect "what was not asked for runs as ever" 0 -- build/unchecked
expect "the race in the library is found" 66 stderr 'counter.cpp:3' -- build/checked
expect "the plain signature links too" 66 stderr 'counter.cpp:3' -- build/checked_plain
expect "run finds it too" 66 -- "$prefix/bin/footrace" run -- build/checked
expect "the unchecked program is plain" 2 stderr 'not instrumented' -- "$prefix/bin/footrace" run -- build/unchecked
expect "a C compiler of another version" 1 stderr 'needs Clang 22' stderr '21\.1\.0' -- \
  cmake build -DPRETENDED_CMAKE_C_COMPILER_VERSION=21.1.0
expect "another C++ compiler" 1 stderr 'needs Clang 22' stderr 'CXX' stderr 'GNU' -- \
  cmake build -UPRETENDED_CMAKE_C_COMPILER_VERSION -DPRETENDED_CMAKE_CXX_COMPILER_ID=GNU
finish
