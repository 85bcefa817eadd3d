#!/bin/sh
# The launcher at the root, with stand-ins for apt-get, cmake and ninja that write down how they were called.
. "$(dirname "$0")/expect.sh"
mkdir -p src/driver fake
cp "$here/../../footrace" src/footrace
printf '# comment\nfirst-package\n\nsecond-package # why\n' >src/packages.txt
echo 'int main;' >src/driver/main.cpp

fake() { { echo '#!/bin/sh'; echo "echo \"$1 \$*\" >>'$work/calls'"; cat; } >"fake/$1" && chmod +x "fake/$1"; }
fake dpkg-query <<'SH'
for package; do :; done
grep -qsx "$package" "$INSTALLED" && printf installed
SH
fake id <<'SH'
echo "$FAKE_UID"
SH
fake apt-get <<'SH'
for package; do echo "$package" >>"$INSTALLED"; done
SH
fake cmake <<'SH'
echo "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" >build/release/CMakeCache.txt
: >build/release/build.ninja
SH
fake ninja <<'SH'
[ -e "$2/fail" ] && { echo "[1/2] broken thing"; echo "the reason"; exit 1; }
echo "[1/2] one"; echo "[2/2] two"
mkdir -p "$2/bin"
printf '#!/bin/sh\necho "built footrace: $*"\n[ "$1" != fails ] || exit 7\n' >"$2/bin/footrace"
chmod +x "$2/bin/footrace"
SH
fake ctest <<'SH'
echo "100% tests passed: $*"
SH
export PATH="$work/fake:$PATH" INSTALLED="$work/installed" FAKE_UID=1000
expect_calls() { expect "$1" 0 stdout "^$2\$" -- sh -c 'grep -cE -e "$0" calls || true' "$3"; }

expect "without root, packages are named" 1 stderr 'missing: first-package second-package' stderr 'sudo apt-get install' -- src/footrace help
expect_calls "and nothing is installed" 0 '^apt-get'

export FAKE_UID=0
expect "first use" 0 stdout '^built footrace: check a b$' stderr 'installing packages: first-package second-package' \
  stderr configuring stderr 'building, 2 of 2' -- src/footrace check 'a b'
expect_calls "packages are installed without recommended ones" 1 'apt-get install .*--no-install-recommends first-package second-package'
expect_calls "configured with the release preset" 1 'cmake --preset release'
: >calls
expect "second use" 0 stdout '^built footrace: version$' -- src/footrace version
expect_calls "second use builds nothing" 0 '^(ninja|cmake|apt-get|dpkg-query)'
expect "quiet" 0 -- sh -c '! src/footrace version 2>&1 >/dev/null | grep .'
expect "exit code of the command" 7 -- src/footrace fails
ln -s src/footrace link && mkdir elsewhere
expect "through a link, from another directory" 0 stdout 'built footrace: help' -- sh -c 'cd elsewhere && ../link help'
expect_calls "still builds nothing" 0 '^ninja'

sleep 0.01 && echo '// changed' >>src/driver/main.cpp
expect "after a change" 0 stdout 'built' -- src/footrace version
expect_calls "builds the tools" 1 'ninja .*footrace_tools'
sleep 0.01 && rm src/driver/main.cpp
expect "after a file has gone" 0 stdout 'built' -- src/footrace version
expect_calls "builds again" 2 'ninja .*footrace_tools'

# What takes long to build is built for the commands that need it.
: >calls
expect "scan" 0 stdout 'built footrace: scan' -- src/footrace scan x
expect_calls "builds all tools" 1 'ninja .*footrace_all_tools'
expect "prove and check after it" 0 -- sh -c 'src/footrace prove x && src/footrace check --embed-summary x && src/footrace check -- --embed-summary'
expect_calls "build nothing" 1 '^ninja'
sleep 0.01 && echo '// changed' >src/driver/other.cpp
expect "check after a change" 0 -- src/footrace check -- --embed-summary
expect_calls "builds the tools only" 1 'ninja .*footrace_tools'
expect "c++ with a summary" 0 -- src/footrace c++ --embed-summary x
expect_calls "builds the others as well" 2 'ninja .*footrace_all_tools'

expect "self-test" 0 stdout 'tests passed: .*-R driver' stderr 'self-test' -- src/footrace self-test -R driver
expect_calls "self-test builds everything" 1 'ninja .* all'
: >calls
expect "after self-test" 0 stdout 'built' -- src/footrace version
expect_calls "nothing is left to build" 0 '^ninja'

sleep 0.01 && echo '// changed' >src/driver/main.cpp && : >src/build/release/fail
expect "a build that fails" 1 stderr 'the reason' stderr 'whole log is in .*/build/release/launcher.log' -- src/footrace version
rm src/build/release/fail
expect "is tried again" 0 stdout built -- src/footrace version
: >calls
mv src moved
expect "a tree that was moved" 0 stdout 'built' -- moved/footrace version
expect_calls "is configured again" 1 'cmake --preset'
finish
