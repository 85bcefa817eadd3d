// The programs that are measured: bench/programs/programs.def.
#pragma once

#include <span>
#include <string>

namespace footrace::bench {

enum class Group { Array, Pointer, Real };
const char* name_of(Group group);

struct Program {
  const char* name;
  Group group;
  bool has_racy; // has a variant with a known race, behind --racy
};

std::span<const Program> all_programs();
const Program* find_program(const std::string& name);

std::string checkout(); // the source tree that this was configured from
std::string source_of(const Program& program);

} // namespace footrace::bench
