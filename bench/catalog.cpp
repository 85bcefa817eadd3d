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
const Program idioms[] = {
#define FR_IDIOM(kernel, style) {#kernel "-" #style, Group::Idiom, false, #kernel, #style},
#include "bench/idioms/idioms.def"
#undef FR_IDIOM
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
  case Group::Idiom:
    return "idiom";
  }
  return "";
}

std::span<const Program> all_programs() { return programs; }
std::span<const Program> all_idioms() { return idioms; }

bool is_called(const Program& program, const std::string& name) {
  return name == program.name || (!name.empty() && name == program.kernel);
}

std::string checkout() { return FOOTRACE_SOURCE_DIR; }
std::string source_of(const Program& program) {
  if (program.group == Group::Idiom)
    return checkout() + "/bench/idioms/" + program.kernel + "/" + program.style + ".cpp";
  return checkout() + "/bench/programs/" + program.name + ".cpp";
}

} // namespace footrace::bench
