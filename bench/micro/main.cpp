// footrace_micro: the cost of single rules.
//   footrace_micro [Google Benchmark's options]      time per operation
//   footrace_micro --list                            name and run count of every operation
//   footrace_micro --op NAME --iterations N          runs one, for a tool that counts instructions
#include "bench/micro/operation.h"
#include "check/mapping.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

using namespace footrace;

namespace {

micro::Operations all_operations() {
  micro::Operations table;
  micro::add_access_operations(table);
  micro::add_sync_operations(table);
  return table;
}

int run_one(const micro::Operations& table, const char* name, u64 iterations) {
  for (const micro::Operation& op : table) {
    if (op.name != name) continue;
    if (op.run(iterations)) return 0;
    std::fprintf(stderr, "footrace_micro: %s did not apply the rule it is named after\n", name);
    return 1;
  }
  std::fprintf(stderr, "footrace_micro: no operation '%s'; --list shows them all\n", name);
  return 2;
}

} // namespace

int main(int argc, char** argv) {
  if (const char* failure = reserve_shadow()) {
    std::fprintf(stderr, "footrace_micro: %s\n", failure);
    return 1;
  }
  micro::Operations table = all_operations();
  if (argc == 2 && !std::strcmp(argv[1], "--list")) {
    for (const micro::Operation& op : table)
      std::printf("%s %llu\n", op.name.c_str(), static_cast<unsigned long long>(op.instruction_runs));
    return 0;
  }
  if (argc == 5 && !std::strcmp(argv[1], "--op") && !std::strcmp(argv[3], "--iterations"))
    return run_one(table, argv[2], std::strtoull(argv[4], nullptr, 10));

  // No more than a clock can count (clocks/epoch.h): the operations have no runtime that would renew it.
  for (const micro::Operation& op : table)
    benchmark::RegisterBenchmark(op.name.c_str(), op.time)->Iterations(i64(op.instruction_runs) * 60);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
}
