// RUN: rm -rf %t && mkdir %t && %cc -O1 %s -o %t/program -rdynamic
// RUN: %exits 66 %t/program 2>%t/error && %filecheck %s < %t/error
// RUN: cat %t/log.* | grep -q "data race" && not grep -q "data race" %t/error
// RUN: %exits 66 env FOOTRACE_OPTIONS=halt_on_error=1 %t/program 2>%t/halted
// RUN: grep -q "the death callback" %t/halted
// RUN: not grep -q "still running" %t/halted
// RUN: sh -c 'ulimit -c 0; FOOTRACE_OPTIONS=halt_on_error=1:abort_on_error=1 "$0"; test $? = 134' %t/program
// RUN: %exits 0 env FOOTRACE_OPTIONS=report_bugs=0 %t/program 2>%t/quiet
// RUN: not grep -q "on_report" %t/quiet
// What programs that know sanitizers call is there and does what it says.
#include "e2e.h"
#include <sanitizer/allocator_interface.h>
#include <sanitizer/common_interface_defs.h>
#include <string.h>
#include <unistd.h>

int shared;
static struct InvisibleGate gate;

// CHECK: #0 {{.*}}program+0x
// CHECK: SUMMARY: a summary of the program's own
// CHECK: on_report
// CHECK: still running
// CHECK-NOT: the death callback
void __tsan_on_report(void* report);
void __tsan_on_report(void* report) { fprintf(stderr, "on_report\n"); }
static void callback(void) { fprintf(stderr, "the death callback\n"); }

static void* first(void* unused) {
  shared = 1;
  invisible_signal(&gate);
  return NULL;
}
static void* second(void* unused) {
  invisible_wait(&gate, 1);
  shared = 2;
  return NULL;
}

int main(int argc, char** argv) {
  char path[4096];
  snprintf(path, sizeof path, "%.*s/log", (int)(strrchr(argv[0], '/') - argv[0]), argv[0]);
  __sanitizer_set_report_path(path);
  __sanitizer_set_death_callback(callback);
  __sanitizer_print_stack_trace();
  __sanitizer_report_error_summary("a summary of the program's own");
  char text[512], module[512];
  void* offset;
  __sanitizer_symbolize_pc((void*)main, "%p %F %L", text, sizeof text);
  require(strstr(text, "main") != NULL, "symbolize_pc");
  require(__sanitizer_get_module_and_offset_for_pc((void*)main, module, sizeof module, &offset) == 1 &&
              strstr(module, "program"),
          "the module");
  __sanitizer_symbolize_global(&shared, "%g", text, sizeof text);
  require(strcmp(text, "shared") == 0, "symbolize_global");
  char* block = malloc(100);
  require(__sanitizer_get_ownership(block) && !__sanitizer_get_ownership(block + 1) &&
              !__sanitizer_get_ownership(&shared),
          "ownership");
  require(__sanitizer_get_allocated_size(block) == 100, "the size");
  require(__sanitizer_get_allocated_begin(block + 5) == block, "the begin");
  require(__sanitizer_get_current_allocated_bytes() >= 100 && __sanitizer_get_heap_size() >= 100, "the heap");
  free(block);
  require(!__sanitizer_get_ownership(block), "a block that is free");
  run_two(first, second);
  fprintf(stderr, "still running\n");
}
