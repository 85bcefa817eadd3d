#!/bin/sh
# `footrace scan` as users meet it: projects, single files, units and merging, what is kept between runs, and what is said when
# something is wrong.
. "$(dirname "$0")/expect.sh"

cat >counter.h <<'END'
#include <mutex>
class Counter {
public:
  void add();
  int get() const;

private:
  mutable std::mutex mutex_;
  int value_ = 0;
};
END
cat >add.cpp <<'END'
#include "counter.h"
void Counter::add() {
  std::lock_guard<std::mutex> guard(mutex_);
  ++value_;
}
END
cat >get.cpp <<'END'
#include "counter.h"
int Counter::get() const { return value_; }
END
sed 's/{ return/{ std::lock_guard<std::mutex> guard(mutex_); return/' get.cpp >locked.cpp
entry() { printf '{"directory":"%s","file":"%s","command":"c++ -std=c++20 -Wall -c %s -o %s.o"}' "$work" "$1" "$1" "$1"; }
mkdir build
printf '[%s,\n%s]\n' "$(entry add.cpp)" "$(entry get.cpp)" >build/compile_commands.json

expect "a race between two files" 66 stdout 'Counter::get' stdout 'Counter::add' stdout 'get.cpp:2' stderr 'reading 2 of 2' \
  stderr '1 race' -- "$footrace" scan -p build
expect "nothing is read twice" 66 stderr 'reading 0 of 2' stderr '1 race' -- "$footrace" scan -p build
cp locked.cpp get.cpp
expect "only what changed is read" 0 stderr 'reading 1 of 2' stderr '0 races' -- "$footrace" scan -p build
echo '// changed' >>counter.h
expect "a header changed" 0 stderr 'reading 2 of 2' -- "$footrace" scan -p build
expect "--no-cache" 0 stderr 'reading 2 of 2' -- "$footrace" scan -p build --no-cache
for unit in build/.footrace-scan/add.cpp.*; do head -c 100 "$unit" >cut && cp cut "$unit"; done
expect "a damaged unit is made again" 0 stderr 'reading 1 of 2' -- "$footrace" scan -p build
expect "one file of a project" 0 stderr 'in 1 function$' -- "$footrace" scan -p build add.cpp
expect "a file that is not of the project" 2 stderr "'locked.cpp' is not in the compile commands" -- "$footrace" scan -p build locked.cpp

cat counter.h - >both.cpp <<'END'
void Counter::add() {
  std::lock_guard<std::mutex> guard(mutex_);
  ++value_;
}
int Counter::get() const { return value_ + EXTRA; }
END
expect "sources with flags" 66 stdout 'Counter::get' -- "$footrace" scan both.cpp -- -std=c++20 -DEXTRA=1
expect "JSON" 66 stdout '^\{.*"part":"scan"' -- "$footrace" scan --format=json both.cpp -- -DEXTRA=1
expect "findings in a file" 66 -- "$footrace" scan --findings found.jsonl both.cpp -- -DEXTRA=1
expect "the file holds them" 0 stdout '"part":"scan"' -- cat found.jsonl
expect "no colour in a pipe" 66 -- "$footrace" scan both.cpp -- -DEXTRA=1
if grep -q "$(printf '\033')" out.txt; then
  echo "FAILED: colour in a pipe"
  failures=$((failures + 1))
fi
expect "--dump-il" 66 stdout 'lock this->mutex_' -- "$footrace" scan --dump-il both.cpp -- -DEXTRA=1

expect "a unit" 0 -- "$footrace" scan --unit add.cpp -o add.summary -- -std=c++20
expect "another" 0 -- "$footrace" scan --unit both.cpp -o both.summary -- -DEXTRA=1
expect "merging" 66 stdout 'Counter::get' -- "$footrace" scan --merge add.summary both.summary
head -c 200 both.summary >cut.summary
expect "half a unit" 1 stderr "'cut.summary' is not a usable scan unit .*incomplete" -- "$footrace" scan --merge add.summary cut.summary
expect "not a unit" 1 stderr "does not begin with" -- "$footrace" scan --merge add.cpp
expect "no such unit" 1 stderr "cannot read 'nope.summary'" -- "$footrace" scan --merge nope.summary

expect "a file with errors" 1 stderr 'both.cpp. has errors' stderr 'EXTRA' stderr 'looked at in part' -- "$footrace" scan add.cpp both.cpp
echo '#include "no_such_header.h"' >missing.cpp
expect "a missing header" 1 stderr 'no_such_header.h' stderr 'install the package that has it' -- "$footrace" scan missing.cpp
expect "nothing to scan" 2 stderr 'nothing to scan.*compile_commands' -- "$footrace" scan
expect "no database" 2 stderr "nope/?compile_commands|cannot read 'nope'" stderr 'EXPORT_COMPILE_COMMANDS' -- "$footrace" scan -p nope
mkdir broken && echo '[{]' >broken/compile_commands.json
expect "a broken database" 2 stderr 'is not JSON' -- "$footrace" scan -p broken
expect "no such file" 2 stderr "'nope.cpp' does not exist" -- "$footrace" scan nope.cpp
expect "an unknown option" 2 stderr "unknown option '-DX'.*after '--'" -- "$footrace" scan both.cpp -DX
expect "an unknown domain" 2 stderr "unknown domain 'x'" -- "$footrace" scan --domain=x both.cpp
expect "--unit without -o" 2 stderr 'one source file and -o' -- "$footrace" scan --unit add.cpp
expect "findings that cannot be written" 2 stderr 'cannot write' -- "$footrace" scan --findings /no/such/f both.cpp
finish
