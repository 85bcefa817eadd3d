// The programs that are measured: bench/programs/programs.def, and with --idioms bench/idioms/idioms.def.
#pragma once

#include <span>
#include <string>

namespace footrace::bench {

enum class Group { Array, Pointer, Real, Idiom };
const char* name_of(Group group);

struct Program {
  const char* name;
  Group group;
  bool has_racy;                        // has a variant with a known race, behind --racy
  const char *kernel = "", *style = ""; // of an idiom, whose name is <kernel>-<style>
};

std::span<const Program> all_programs();
std::span<const Program> all_idioms();
// A program has its own name, an idiom also that of its kernel.
bool is_called(const Program& program, const std::string& name);

std::string checkout(); // the source tree that this was configured from
std::string source_of(const Program& program);

} // namespace footrace::bench
