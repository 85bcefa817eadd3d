// generate-programs --language c|c++ --seed N --programs N [--races FILE]: prints a translation unit of random programs; with --races it
// plants races and writes the names of the variables that must be reported to FILE.
#include "tests/placement/generator/program.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

using namespace footrace::placement_fuzz;

int main(int argc, char** argv) {
  Request request;
  const char* races = nullptr;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i], value = argv[i + 1];
    if (option == "--language" && (value == "c" || value == "c++"))
      request.language = value == "c" ? Language::C : Language::Cxx;
    else if (option == "--seed")
      request.seed = std::strtoull(value.c_str(), nullptr, 10);
    else if (option == "--programs")
      request.programs = std::strtoull(value.c_str(), nullptr, 10);
    else if (option == "--races")
      races = argv[i + 1];
    else
      argc = 0;
  }
  if (argc % 2 == 0) {
    std::fprintf(stderr, "usage: generate-programs --language c|c++ --seed N --programs N [--races FILE]\n");
    return 2;
  }
  request.races = races != nullptr;
  const Generated generated = generate(request);
  std::fputs(generated.source.c_str(), stdout);
  if (!races) return 0;
  std::ofstream out(races);
  for (const std::string& name : generated.racy) out << name << '\n';
  return out.good() ? 0 : 1;
}
