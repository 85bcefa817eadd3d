#!/bin/sh
# `footrace scan` with what users really give it: wrong flags, damaged summaries, 200,000 lines, edits, terminals and pipes.
. "$(dirname "$0")/expect.sh"

cat >counter.cpp <<'END'
#include <mutex>
class Counter {
public:
  void add() { std::lock_guard<std::mutex> guard(mutex_); ++value_; }
  int get() const { return value_; }
private:
  mutable std::mutex mutex_;
  int value_ = 0;
};
template <class T> struct Box {
  void set(T value) { std::lock_guard<std::mutex> guard(mutex_); value_ = value; }
  T get() { return value_; }
  std::mutex mutex_;
  T value_;
};
template struct Box<int>;
template struct Box<long>;
END

# Flags of the compiler.
expect "a flag that clang does not know" 66 stderr "counter.cpp. has errors" stderr "-fno-such-flag" \
  -- "$footrace" scan counter.cpp -- -fno-such-flag
expect "a standard that does not exist" 66 stderr "c\+\+99" -- "$footrace" scan counter.cpp -- -std=c++99
expect "a flag without its value" 1 stderr "has errors" -- "$footrace" scan counter.cpp -- -I
expect "another compiler's flags do not matter" 66 stderr '2 races' -- "$footrace" scan counter.cpp -- -fno-ipa-sra -Wno-such-warning
expect "a folder in place of a file" 2 stderr "is a folder" -- "$footrace" scan .
expect "an empty file has no races" 0 stderr '0 races' -- sh -c ': >empty.cpp && "$1" scan empty.cpp' sh "$footrace"
printf '\377\376\000' >binary.cpp
expect "a file that is no text" 1 stderr 'has errors' -- "$footrace" scan binary.cpp

expect "a file that is neither C nor C++" 2 stderr 'not a C or C\+\+ file' -- sh -c ': >notes.txt && "$1" scan notes.txt' sh "$footrace"
{ echo '#include "no_such_header.h"' && cat counter.cpp && echo 'int unknown() { return no_such_name; }'; } >broken.cpp
expect "races beside a missing header and an error" 66 stderr '2 races' stderr '1 file was looked at in part' stderr 'no_such_header.h' \
  -- "$footrace" scan broken.cpp

# Summaries that cannot be used.
expect "a summary" 0 -- "$footrace" scan --unit counter.cpp -o good.summary
for size in 0 10 100 2000; do
  head -c $size good.summary >cut.summary
  expect "a summary cut off after $size bytes" 1 stderr "'cut.summary' is not a usable scan unit" -- "$footrace" scan --merge cut.summary
done
sed '1s/[0-9]*$/1/' good.summary >other.summary
expect "of another version" 1 stderr 'of another version.*make it again' -- "$footrace" scan --merge other.summary
sed 's/value_/valve_/' good.summary >changed.summary
expect "one that was edited" 1 stderr 'incomplete or was changed' -- "$footrace" scan --merge changed.summary
expect "the others are still looked at" 66 stderr 'files? could not be looked at' stderr '2 races' -- "$footrace" scan --merge cut.summary good.summary
expect "a place that cannot be written" 1 stderr "cannot write '/no/such/x'" -- "$footrace" scan --unit counter.cpp -o /no/such/x
expect "a depfile that cannot be written" 1 stderr "cannot write '/no/such/d'" -- "$footrace" scan --unit counter.cpp -o x.summary --depfile /no/such/d
expect "a depfile" 0 stdout 'x.summary:' stdout 'counter.cpp' -- sh -c '"$1" scan --unit counter.cpp -o x.summary --depfile x.d && cat x.d' sh "$footrace"
expect "a cache that cannot be made" 1 stderr 'cannot make the folder' -- "$footrace" scan --cache /proc/no/such counter.cpp
expect "--list without a build" 2 stderr '--list prints the sources of -p' -- "$footrace" scan --list
expect "--depfile without --unit" 2 stderr '--depfile belongs to --unit' -- "$footrace" scan --depfile d counter.cpp

# Objects of C, which have no methods: functions that are given one.
cat >device.c <<'END'
#include <pthread.h>
struct device { pthread_mutex_t lock; int value, hint; };
void put(struct device* d, int v) { pthread_mutex_lock(&d->lock); d->value = v; d->hint = v; pthread_mutex_unlock(&d->lock); }
int get(struct device* d) { return d->value; }
int hint_a(struct device* d) { return d->hint; }
int hint_b(struct device* d) { return d->hint + 1; }
int hint_c(struct device* d) { return d->hint + 2; }
END
expect "functions of C that are given an object" 66 stdout "Location is 'd->value'" stdout 'device.c:4:39 in get' stderr '1 race in' -- "$footrace" scan device.c

# Why pairs are not reported, and what was left out.
cat >beliefs.cpp <<'END'
#include <mutex>
#include <thread>
class Task {
public:
  void start() { thread_ = std::thread([this] { run(); }); }
  void run() { ++rounds_; }
  void init() { level_ = 1; }
  int level() { std::lock_guard<std::mutex> guard(mutex_); return level_; }
private:
  std::thread thread_;
  std::mutex mutex_;
  int rounds_ = 0, level_ = 0;
};
END
expect "--stats" 66 stderr 'pairs that conflict, reported: 2' stderr 'the same defect as a reported one: [0-9]' \
  stderr 'functions with more accesses than are kept: 0' -- "$footrace" scan --stats counter.cpp
expect "--stats by reason" 0 stderr 'not believed to run at the same time \(one of them prepares or ends.*\): [1-9]' \
  stderr 'not believed to run at the same time \(the thread of one object runs once\): [1-9]' -- "$footrace" scan --stats beliefs.cpp
expect "--explain" 0 stdout "write of 'this->level_' at .*beliefs.cpp:7, in Task::init, without a lock" \
  stdout "read of 'this->level_' at .*beliefs.cpp:8, in Task::level, with this->mutex_" stdout 'not reported: one of them prepares or ends' \
  -- "$footrace" scan --explain=level_ beliefs.cpp
expect "--explain of what is not there" 0 stderr "no two accesses to 'nothing'" -- "$footrace" scan --explain nothing beliefs.cpp
expect "--explain without a name" 2 stderr '--explain needs the name' -- "$footrace" scan --explain= beliefs.cpp
expect "--explain with JSON" 2 stderr 'not with --unit, --list or --format=json' -- "$footrace" scan --explain=level_ --format=json beliefs.cpp
# Functions that call each other with thirty locks, level by level: the accesses multiply, the work does not.
awk 'BEGIN {
  print "#include <mutex>\nclass Deep {\npublic:"
  for (level = 0; level < 3; ++level) {
    printf "  void level%d(int n) {\n", level
    for (i = 0; i < 30; ++i)
      printf "    if (n > %d) { std::lock_guard<std::mutex> guard(m%d_); ++f%d_; %s }\n", i, i, i, level ? "level" level - 1 "(n);" : ""
    print "  }"
  }
  for (i = 0; i < 30; ++i) printf "  std::mutex m%d_;\n  int f%d_ = 0;\n", i, i
  print "  int get() { return f7_; }\n};"
}' >deep.cpp
expect "accesses that multiply" 66 stdout 'Deep::get' stderr 'functions with more accesses than are kept: [1-9]' -- "$footrace" scan --stats deep.cpp

# One defect, one report: the instances of a template are one. A fingerprint stays when lines move.
expect "JSON" 66 stderr '2 races' -- "$footrace" scan --format=json counter.cpp
prints() { sed 's/.*"fingerprint":"\([^"]*\)".*/\1/' out.txt | sort >"$1"; }
prints before.txt
{ printf '// a comment\n\n' && cat counter.cpp; } >moved && mv moved counter.cpp
expect "after an edit above it" 66 -- "$footrace" scan --format=json counter.cpp
prints after.txt
expect "the fingerprints are the same" 0 -- cmp before.txt after.txt
expect "and there are two" 0 stdout '^2 ' -- sh -c 'sort -u after.txt | wc -l | sed "s/$/ /"'
sed 's|return value_; }$|return value_; } // footrace: ignore(statistics only)|' counter.cpp >ignored.cpp
expect "what is ignored with a reason" 0 stderr '0 races' -- "$footrace" scan ignored.cpp

# A thread that was given its turn is believed to run alone, unless its window is asked for.
cat >deal.cpp <<'EOF'
#include <atomic>
#include <thread>
class Deal {
public:
  void start() { thread_ = std::thread(&Deal::run, this); }
  void deal() {
    turn_ = 1;
    ++work_;
    while (turn_ != 0) {
    }
  }

private:
  void run() {
    while (turn_ == 0) {
    }
    ++work_;
    turn_ = 0;
  }
  std::thread thread_;
  std::atomic<int> turn_{0};
  int work_ = 0;
};
EOF
expect "a turn" 0 stderr '0 races' -- "$footrace" scan deal.cpp
expect "in the window of a turn" 66 stdout 'Deal::deal' stderr '1 race' -- "$footrace" scan --windows deal.cpp

# Terminals and pipes.
if command -v script >/dev/null; then
  on_terminal() { script -qec "$*" /dev/null; }
  expect "colour on a terminal" 66 stdout "$(printf '\033')\[" -- on_terminal "TERM=xterm $footrace scan counter.cpp"
  on_terminal "TERM=xterm NO_COLOR=1 $footrace scan counter.cpp" >out.txt
  grep -q "$(printf '\033')\[[0-9;]*m" out.txt && echo 'FAILED: colour with NO_COLOR' && failures=$((failures + 1))
fi
"$footrace" scan counter.cpp >out.txt 2>&1
grep -q "$(printf '[\033\r]')" out.txt && echo 'FAILED: a pipe gets more than text' && failures=$((failures + 1))

# 200,000 lines: 100 classes of 1,990 lines, in 20 files; the race is in one of them.
mkdir big
awk 'BEGIN {
  for (file = 0; file < 20; ++file) {
    name = "big/f" file ".cpp"
    print "#include <mutex>" >name
    for (c = 0; c < 5; ++c) {
      printf "class C%d_%d {\n", file, c >name
      for (m = 0; m < 66; ++m) {
        printf "public:\n  int m%d(int x) {\n    std::lock_guard<std::mutex> guard(mutex_);\n    value_ += x;\n", m >name
        for (line = 0; line < 20; ++line) printf "    x = x * %d + %d;\n", line + 2, m >name
        printf "    return m%d_(x);\n  }\nprivate:\n  int m%d_(int x) {\n    return value_ + x;\n  }\n", m, m >name
      }
      if (file == 7 && c == 3) printf "public:\n  int racy() { return value_; }\n" >name
      printf "private:\n  std::mutex mutex_;\n  int value_ = 0;\n};\n" >name
      printf "int use%d_%d(C%d_%d& c) { return c.m0(1); }\n", file, c, file, c >name
    }
    close(name)
  }
}' </dev/null
{
  echo '['
  for file in big/*.cpp; do
    [ "$file" = big/f0.cpp ] || echo ,
    printf '{"directory":"%s","file":"%s","command":"c++ -std=c++20 -c %s"}' "$work" "$file" "$file"
  done
  echo ']'
} >big/compile_commands.json
lines=$(cat big/*.cpp | wc -l)
[ "$lines" -gt 195000 ] || { echo "FAILED: only $lines lines" && failures=$((failures + 1)); }
expect "200,000 lines" 66 stdout 'C7_3::racy' stderr '1 race in' stderr 'reading 20 of 20 files' -- "$footrace" scan -p big
functions=$(sed -n 's/.*race in \([0-9]*\) functions.*/\1/p' err.txt)
expect "a second time" 66 stderr 'reading 0 of 20 files' stderr "analysed 0 of $functions functions" -- "$footrace" scan -p big
sed -i 's/int racy() { return value_; }/int racy() { return 0; }/' big/f7.cpp
expect "one function was edited" 0 stderr 'reading 1 of 20 files' stderr "analysed 1 of $functions functions" stderr '0 races' \
  -- "$footrace" scan -p big
# m0 of the first class and its caller; nothing else depends on them.
sed -i '0,/value_ += x;/s//value_ = x;/' big/f7.cpp
expect "a function and its callers" 0 stderr 'reading 1 of 20 files' stderr "analysed 2 of $functions functions" -- "$footrace" scan -p big
finish
