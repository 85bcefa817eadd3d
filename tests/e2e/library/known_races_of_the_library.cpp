// Races inside libstdc++ that a program can do nothing about are not reported, unless library_races=1 asks for them. A race of the program on the
// same objects is, and so is one on what they lead to.
// RUN: rm -rf %t && mkdir %t
// RUN: %cxx -O1 %s -o %t/program
// RUN: env FOOTRACE_OPTIONS=print_suppressions=1 %t/program 2>&1 | %filecheck --check-prefix=QUIET %s
// RUN: env FOOTRACE_OPTIONS=library_races=1 not %t/program 2>&1 | %filecheck --check-prefix=LIBRARY %s
// RUN: not %t/program race 2>&1 | %filecheck --check-prefix=PROGRAM %s
#include "e2e.h"
#include <atomic>
#include <memory>
#include <regex>

static std::atomic<std::shared_ptr<int>> pointer;
static std::atomic<std::shared_ptr<int>>* constructed;
static InvisibleGate gate;
static bool races;

static void compile_expression() { KEEP(std::regex_match("abc1", std::regex("([a-z]+)[0-9]*.x"))); }

static void* loads(void*) {
  KEEP(pointer.load().get());
  compile_expression();
  invisible_signal(&gate);
  invisible_wait(&gate, 2);
  if (!races) return nullptr;
  ++*pointer.load(); // the program's
  KEEP(constructed->load().get());
  invisible_signal(&gate);
  return nullptr;
}

static void* stores(void*) {
  invisible_wait(&gate, 1);
  auto mine = std::make_shared<int>(2);
  pointer.store(mine);
  compile_expression();
  if (races) {
    constructed = new std::atomic<std::shared_ptr<int>>; // not ordered before its use
    *mine = 3;
    invisible_signal(&gate);
    *mine = 4;
  }
  invisible_signal(&gate);
  if (races) invisible_wait(&gate, 4); // the reference count would order what comes later
  return nullptr;
}

int main(int count, char**) {
  races = count > 1;
  pointer.store(std::make_shared<int>(1));
  run_two(loads, stores);
}
// QUIET-NOT: WARNING
// QUIET: race(s) suppressed by:
// QUIET-DAG: library_races=0: libstdcxx-atomic-shared-ptr-load
// QUIET-DAG: library_races=0: libstdcxx-ctype-narrow
// LIBRARY-DAG: std::_Sp_atomic<{{.*}}>::load(
// LIBRARY-DAG: std::ctype<char>::narrow(
// PROGRAM-NOT: SUMMARY: {{.*}}compile_expression
// PROGRAM: SUMMARY: footrace: data race known_races_of_the_library.cpp:{{.*}} in loads(void*)
