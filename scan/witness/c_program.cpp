// The program of a witness in C: as write_program, with pthreads. Older C has no atomics of its own.
#include "scan/witness/program.h"

namespace footrace::scan::witness {
namespace {

constexpr const char* kMeeting = R"(
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

static int footrace_round, footrace_missing;
// Relaxed: the two calls start together, or one a little later, and no order between them is made.
static void footrace_meet(int later) {
  int i;
  __atomic_fetch_sub(&footrace_missing, 1, __ATOMIC_RELAXED);
  while (__atomic_load_n(&footrace_missing, __ATOMIC_RELAXED) > 0) sched_yield();
  for (i = 0; later && i < 200; ++i) sched_yield();
}
)";

constexpr const char* kMain = R"(
int main(int argc, char** argv) {
  int rounds = argc > 1 ? atoi(argv[1]) : 1;
  for (footrace_round = 0; footrace_round < rounds; ++footrace_round) {
    pthread_t first, second;
    __atomic_store_n(&footrace_missing, 2, __ATOMIC_RELAXED);
    pthread_create(&first, NULL, footrace_first, NULL);
    pthread_create(&second, NULL, footrace_second, NULL);
    pthread_join(first, NULL);
    pthread_join(second, NULL);
  }
  return 0;
}
)";

// The comment that every file starts with.
std::string head(const Witness& witness, const std::string& command) {
  return "// Witness of a race: " + witness.title +
         ".\n// Two threads make one call each. Written by 'footrace scan --witness'.\n// Compile: " +
         command + "\n";
}

std::string included(const std::string& source) {
  return "#define main footrace_main_of_the_source\n#include \"" + source + "\"\n#undef main\n";
}

std::string thread(const std::string& name, const std::string& call, const std::string& number,
                   const std::string& later) {
  return "\nstatic void* footrace_" + name + "(void* nothing) {\n" + "  int footrace_number = " + number +
         ";\n" + "  (void)footrace_number, (void)nothing;\n" + "  footrace_meet(" + later + ");\n  (void)" +
         call + ";\n  return NULL;\n}\n";
}

} // namespace

std::string write_c_program(const Witness& witness, const std::string& command) {
  std::string text = head(witness, command) + "// Run: PROGRAM [ROUNDS]\n";
  for (const std::string& source : witness.sources) text += included(source);
  return text + kMeeting + thread("first", witness.first, "footrace_round % 3", "footrace_round % 2 == 0") +
         thread("second", witness.second, "footrace_round / 3 % 3", "footrace_round % 2 == 1") + kMain;
}

std::string write_call(const Witness& witness, Part part, const std::string& command, bool c) {
  const bool first = part == Part::First;
  return head(witness, command) + included(witness.sources[first ? 0 : 1]) + "#include <stdlib.h>\n\n" +
         (c ? "" : "extern \"C\" ") + "void footrace_call_" + (first ? "first" : "second") +
         "(int footrace_number) {\n  (void)footrace_number;\n  (void)" +
         (first ? witness.first : witness.second) + ";\n}\n";
}

std::string write_meeting(const Witness& witness, const std::string& command) {
  return head(witness, command) + "// Run: PROGRAM [ROUNDS]\n" + kMeeting +
         "\nvoid footrace_call_first(int number);\nvoid footrace_call_second(int number);\n" +
         thread("first", "footrace_call_first(footrace_number)", "footrace_round % 3",
                "footrace_round % 2 == 0") +
         thread("second", "footrace_call_second(footrace_number)", "footrace_round / 3 % 3",
                "footrace_round % 2 == 1") +
         kMain;
}

} // namespace footrace::scan::witness
