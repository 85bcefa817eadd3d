// footrace-analysis COMMAND ARGUMENTS: what `footrace COMMAND ARGUMENTS` hands over; not meant to be called by hand.
#include "driver/analysis.h"
#include "driver/messages.h"
#include "driver/scan_unit.h"

using namespace footrace::driver;

int main(int argc, char** argv) {
  if (argc < 2) return usage_error("this program belongs to 'footrace', which is to be called instead");
  const std::string name = argv[1];
  const Arguments arguments(argv + 2, argv + argc);
  embedder() = compile_and_embed;
  if (name == "scan") return analyse_scan(arguments);
  if (name == "prove") return analyse_prove(arguments);
  if (name == "bench") return analyse_bench(arguments);
  if (name == "cc") return command_cc(arguments);
  if (name == "c++") return command_cxx(arguments);
  return usage_error("'" + name + "' is not for this program; call 'footrace " + name + "'");
}
