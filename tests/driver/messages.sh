#!/bin/sh
# What the driver says and which exit code it gives when the command line or the machine is not as it should be.
. "$(dirname "$0")/expect.sh"
clean=$here/programs/clean.cpp

expect "no command" 2 stdout 'Commands' -- "$footrace"
expect "unknown command" 2 stderr "no command 'chek'; did you mean 'check'" -- "$footrace" chek
expect "unknown command, nothing near" 2 stderr "footrace help' lists" -- "$footrace" zzzzzzzz
expect "help" 0 stdout 'check +compile' stdout '66 ' -- "$footrace" help
expect "help of a command" 0 stdout 'footrace run \[OPTIONS\]' stdout '--findings' -- "$footrace" help run
expect "help options" 0 stdout 'halt_on_error' stdout 'exitcode .*\(66\)' \
  stdout '^  include +file' stdout '^  help +1 prints' -- "$footrace" help options
expect "--help after a command" 0 stdout 'footrace check FILE' -- "$footrace" check --help
expect "help of nothing known" 2 stderr "no help for 'rnu'; did you mean 'run'" -- "$footrace" help rnu
expect "version" 0 stdout '^footrace [0-9.]+ \(LLVM 22\.' -- "$footrace" version
expect "no colour in a pipe" 0 -- "$footrace" help
if grep -q "$(printf '\033')" out.txt; then
  echo "FAILED: colour in a pipe"
  failures=$((failures + 1))
fi

expect "check without a file" 2 stderr 'no source file' -- "$footrace" check
expect "check a missing file" 2 stderr "'nope.cpp' does not exist" -- "$footrace" check nope.cpp
expect "check a directory" 2 stderr 'is a directory' -- "$footrace" check "$work"
cp "$clean" clean.txt && cp "$clean" clean
expect "check a file of another kind" 2 stderr "'clean.txt' has no suffix of a C or C\+\+ source" -- "$footrace" check clean.txt
expect "check a file without a suffix" 2 stderr "'clean' has no suffix" -- "$footrace" check clean
expect "check with an unknown option" 2 stderr "unknown option '--keeep'" -- "$footrace" check "$clean" --keeep
expect "check with a near option" 2 stderr "did you mean '-shared'" -- "$footrace" check "$clean" -shard
expect "check -c" 2 stderr "does not take '-c'" -- "$footrace" check -c "$clean"
expect "check -o" 2 stderr "does not take '-o'" -- "$footrace" check "$clean" -o x
expect "check, unknown preset" 2 stderr "no preset 'bigfeet'.*fasttrack" -- "$footrace" check --preset=bigfeet "$clean"
expect "check, preset that is nearly one" 2 stderr "no preset 'slimcart' \(did you mean 'slimcard'\?\); choose --preset=NAME from: fasttrack, " -- \
  "$footrace" check --preset=slimcart "$clean"
expect "check, --preset without a name" 2 stderr "no preset ''; choose" -- "$footrace" check --preset "$clean"
expect "check, unknown precision" 2 stderr "no precision 'adress' \(did you mean 'address'\?\)" -- \
  "$footrace" check --precision=adress "$clean"
for preset in fasttrack redcard slimstate slimcard bigfoot; do
  expect "check --preset=$preset" 0 -- "$footrace" check --preset="$preset" --precision=address "$clean"
done
echo 'int main() { return undeclared; }' >broken.cpp
expect "check a program that does not compile" 1 stderr 'undeclared' stderr 'was not run' -- "$footrace" check broken.cpp

expect "another sanitizer" 2 stderr 'address cannot be combined' -- "$cxx" -fsanitize=address "$clean"
expect "-static" 2 stderr 'needs dynamic linking' -- "$cxx" -static "$clean" -o x
expect "-static-pie" 2 stderr 'needs dynamic linking' -- "$cxx" -static-pie "$clean" -o x
expect "-static-libstdc++" 0 stderr 'warning: with -static-libstdc\+\+ .*cannot be seen' -- \
  "$cxx" -static-libstdc++ "$clean" -o x
expect "-m32" 2 stderr 'x86-64 Linux' -- "$cxx" -m32 -c "$clean"
expect "unknown preset" 2 stderr "no preset 'x'" -- "$cxx" --preset=x -c "$clean"
expect "clang's own errors" 1 stderr 'unknown argument' -- "$cxx" --no-such-option -c "$clean"
expect "missing compiler" 1 stderr '/no/such/clang.*cannot be run.*FOOTRACE_CLANG' -- \
  env FOOTRACE_CLANG=/no/such/clang "$cxx" -c "$clean"
printf '#!/bin/sh\necho Debian clang version 21.1.0\n' >clang-21 && chmod +x clang-21
expect "another clang" 1 stderr "clang-21', which is not clang 22 .*'Debian clang version 21.1.0'" -- \
  env FOOTRACE_CLANG="$work/clang-21" "$cxx" -c "$clean"
expect "no clang at all" 1 stderr "true', which is not clang 22" -- env FOOTRACE_CLANG=true "$footrace" check "$clean"
expect "Footrace as its own clang" 1 stderr 'is Footrace itself' -- env FOOTRACE_CLANG="$cc" "$cxx" -c "$clean"

printf 'struct P { int x, y; };\nvoid move(P *p) {\n  p->x = 1;\n  p->y = 2;\n}\n' >explained.cpp
expect "explain-checks" 0 stdout '^    3 \|   p->x = 1;$' \
  stdout 'column 8: write of 4 bytes: no check of its own: bigfoot: coalesced .*: write check of 8 bytes at line' \
  stdout 'made here: write check of 8 bytes for lines 3, 4$' -- "$footrace" explain-checks --preset=bigfoot explained.cpp
if grep -q "$(printf '\033')" out.txt; then
  echo "FAILED: explain-checks uses colour in a pipe"
  failures=$((failures + 1))
fi
expect "explain-checks of every access" 0 stdout 'column 8: write of 4 bytes: checked$' -- "$footrace" explain-checks --preset=fasttrack explained.cpp
expect "explain-checks without a file" 2 stderr 'takes one source file' -- "$footrace" explain-checks
expect "explain-checks of a missing file" 2 stderr "cannot read 'nope.cpp'" -- "$footrace" explain-checks nope.cpp
expect "explain-checks -o" 2 stderr "does not take '-o'" -- "$footrace" explain-checks explained.cpp -o x
expect "explain-checks of a broken file" 1 stderr 'undeclared' stderr 'is not explained' -- "$footrace" explain-checks broken.cpp

expect "run without a program" 2 stderr 'no program given' -- "$footrace" run
expect "run with an unknown option" 2 stderr "unknown option '--find'" -- "$footrace" run --find x -- ./a
expect "run --validate-placement" 2 stderr "build of its own: .*footrace c\+\+ --validate-placement" -- "$footrace" run --validate-placement -- ./a
expect "run a missing program" 2 stderr "'./nope' does not exist" -- "$footrace" run -- ./nope
expect "run a program not on PATH" 2 stderr "no program 'nope-nope' on PATH" -- "$footrace" run -- nope-nope
expect "run a directory" 2 stderr 'is a directory' -- "$footrace" run -- "$work"
expect "run what is not executable" 2 stderr 'not executable' -- "$footrace" run -- "$clean"
expect "run what is not instrumented" 2 stderr 'not instrumented' -- "$footrace" run -- /bin/true
printf 'neither' >odd && chmod +x odd
expect "run what is no program" 2 stderr 'neither an ELF program nor a script' -- "$footrace" run -- ./odd
expect "flags of no kind" 2 stderr "flags compile" -- "$footrace" flags

mkdir -p half/bin && cp "$footrace" half/bin/footrace
expect "incomplete installation" 1 stderr 'installation is incomplete' -- half/bin/footrace c++ -c "$clean"
finish
