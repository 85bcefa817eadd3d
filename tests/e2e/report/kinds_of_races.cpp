// Memory that is freed, and the pointer to a virtual table, are kinds of their own; each with its twin.
// RUN: rm -rf %t && mkdir %t && %cxx -O1 %s -o %t/program
// RUN: %exits 66 %t/program free 2>&1 | %filecheck %s --check-prefix=FREE
// RUN: %exits 66 %t/program use 2>&1 | %filecheck %s --check-prefix=USE
// RUN: %exits 66 %t/program virtual 2>&1 | %filecheck %s --check-prefix=VPTR
// RUN: %exits 66 %t/program member 2>&1 | %filecheck %s --check-prefix=MEMBER
#include "e2e.h"
#include <cstring>
#include <thread>

static InvisibleGate gate;

struct Base {
  Base() { ESCAPE(this); }
  virtual ~Base() { invisible_wait(&gate, 1); }
  virtual int run() { return 1; }
  long member = 0;
  int (*hook)() = nullptr;
};
struct Derived : Base {
  ~Derived() override { ESCAPE(this); }
  int run() override { return 2; }
};

int main(int, char** arguments) {
  const char* mode = arguments[1];
  if (!strcmp(mode, "free")) {
    // FREE: WARNING: footrace: heap-use-after-free race
    // FREE: SUMMARY: footrace: heap-use-after-free race kinds_of_races.cpp:
    long* block = new long(1);
    std::thread other([=] {
      *block = 2;
      invisible_signal(&gate);
    });
    invisible_wait(&gate, 1);
    delete block;
    other.join();
  } else if (!strcmp(mode, "use")) {
    // USE: WARNING: footrace: heap-use-after-free race
    long* block = new long(1);
    std::thread other([=] {
      invisible_wait(&gate, 1);
      KEEP(*block);
    });
    delete block;
    invisible_signal(&gate);
    other.join();
  } else if (!strcmp(mode, "virtual")) {
    // VPTR: WARNING: footrace: vptr race
    // VPTR: SUMMARY: footrace: vptr race kinds_of_races.cpp:
    Base* object = new Derived;
    std::thread other([=] {
      KEEP(object->run());
      invisible_signal(&gate);
    });
    object->~Base();
    other.join();
  } else {
    // MEMBER-NOT: vptr
    // MEMBER: WARNING: footrace: data race
    Base* object = new Derived;
    std::thread other([=] {
      object->member = 1;
      object->hook = [] { return 3; };
      invisible_signal(&gate);
    });
    invisible_wait(&gate, 1);
    KEEP(object->member);
    KEEP(object->hook); // points into the program, and to no table
    other.join();
  }
}
