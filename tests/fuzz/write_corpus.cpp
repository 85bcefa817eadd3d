// Small traces to begin with: write_corpus FOLDER COUNT
#include "events/trace_writer.h"
#include "tests/property/generator.h"

#include <cstdio>
#include <cstdlib>
#include <filesystem>

using namespace footrace;

int main(int argc, char** argv) {
  if (argc != 3) return fprintf(stderr, "usage: write_corpus FOLDER COUNT\n"), 2;
  std::filesystem::create_directories(argv[1]);
  for (u64 seed = 1; seed <= strtoull(argv[2], nullptr, 0); ++seed) {
    std::string why;
    auto writer =
        TraceWriter::create(std::string(argv[1]) + "/" + std::to_string(seed) + ".ftr",
                            {.every_event_has_stamp = seed % 2 == 0, .block_bytes = u32(seed * 13)}, why);
    if (!writer) return fprintf(stderr, "%s\n", why.c_str()), 1;
    writer->program("./program --seed " + std::to_string(seed));
    writer->module({"/bin/program", 0x5000, 0x5000, 0x9000});
    writer->thread(1, {"worker", 77});
    for (u32 i = 1; i < 4; ++i)
      writer->site(i, {{{"f()", "a.cpp", i, 3, "", 0}, {"", "", 0, 0, "/bin/program", i * 16}}});
    for (u32 i = 1; i < 4; ++i) writer->stack(i, i - 1, i);
    for (Event e : property::random_trace(seed)) {
      e.stack = e.site % 4;
      writer->append(e);
    }
    writer->finish(seed % 3 ? "" : "stopped");
    if (!writer->error().empty()) return fprintf(stderr, "%s\n", writer->error().c_str()), 1;
  }
}
