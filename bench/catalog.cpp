#include "bench/catalog.h"

#include "config.h"

namespace footrace::bench {

namespace {
constexpr Group array = Group::Array;
constexpr Group pointer = Group::Pointer;
const Program programs[] = {
#define FR_PROGRAM(name, group, has_racy) {#name, group, has_racy},
#include "bench/programs/programs.def"
#undef FR_PROGRAM
};
} // namespace

const char* name_of(Group group) {
  switch (group) {
  case Group::Array:
    return "array";
  case Group::Pointer:
    return "pointer";
  case Group::Real:
    return "real";
  }
  return "";
}

std::span<const Program> all_programs() { return programs; }

const Program* find_program(const std::string& name) {
  for (const Program& program : programs)
    if (name == program.name) return &program;
  return nullptr;
}

std::string checkout() { return FOOTRACE_SOURCE_DIR; }
std::string source_of(const Program& program) {
  return checkout() + "/bench/programs/" + program.name + ".cpp";
}

} // namespace footrace::bench
