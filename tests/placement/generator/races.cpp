// Planted races: the first two threads access a variable before they synchronise with anything but their creator, so they race in every
// run. Beside them, variables that come as close as possible without a race.
#include "tests/placement/generator/units.h"

namespace footrace::placement_fuzz {
namespace {

struct Planted {
  std::string declaration; // with %s for the name
  std::string first, second;
  bool races;
  bool has_partner = false; // @_too races as well
};

std::string with_name(std::string text, const std::string& name) {
  for (size_t at; (at = text.find('@')) != std::string::npos;) text.replace(at, 1, name);
  return text;
}

// '@' is the variable; n is 16, not known to the compiler; s is a sum that is used.
const Planted kPlanted[] = {
    {"u32 @;", "@ = s;", "s += @;", true},
    {"u32 @;", "@ = s;", "@ = s + 1;", true},
    {"u64 @;", "s += (u32)@;", "@ += s;", true},
    {"u32 @[16];", "for (long i = 0; i < n; i++) @[i] = s;", "for (long i = 0; i < n; i++) s += @[i];", true},
    {"u32 @[16];", "for (long i = 0; i < n; i += 2) @[i] = s;", "for (long i = 0; i < n; i += 3) s += @[i];",
     true},
    {"u32 @[16];", "for (long i = n - 1; i >= 0; i--) @[i] += s;", "s += @[n - 1];", true},
    {"u8 @[16];", "for (u8 *p = @, *end = @ + n; p != end; p++) *p = 1;", "@[n / 2] = 2;", true},
    {"u8 @[16];", "memset(@, 3, (size_t)n);", "s += @[3];", true},
    {"u32 @[16];", "for (long i = 0; i < n; i++) { if (@[i] == 77u) break; s += @[i]; }", "@[0] = s % 70u;",
     true},
    {"struct Fields @;", "@.x = s; @.y = s; @.z = s;", "s += @.y;", true},
    {"struct Fields @;", "@.c[0] = 1; @.c[1] = 2; s += @.c[2];", "@.c[1] = 5;", true},
    {"u32 @[4][4];", "for (long r = 0; r < 4; r++) for (long c = 0; c <= r; c++) @[r][c] = s;",
     "s += @[3][n % 4];", true},
    {"double @[16];", "for (long i = 0; i < n; i++) @[i] = @[i] * 0.5 + 1.0;",
     "for (long i = 1; i < n; i += 5) @[i] = 2.0;", true},
    // checked through proxies
    {"static u32 @, @_too;", "@ = s; @_too = s;", "s += @ + @_too;", true, true},
    {"static u32 @, @_too;", "s += @ + @_too; @ = s; @_too = s;", "s += @ ^ @_too; @_too = s; @ = s;", true,
     true},
    {"static u64 @; static u16 @_too;", "@ += s; @_too += 3;", "@_too += 5; @ += s;", true, true},
    // and without a race
    {"u32 @[16];", "for (long i = 0; i < n; i += 2) @[i] = s;", "for (long i = 1; i < n; i += 2) @[i] = s;",
     false},
    {"u8 @[16];", "for (long i = 0; i < n / 2; i++) @[i] = 1;", "for (long i = n / 2; i < n; i++) @[i] = 2;",
     false},
    {"u8 @[16];", "@[0] = 1; @[2] = 1;", "@[1] = 1; s += @[3];", false},
    {"u32 @[16];", "for (long i = 0; i < n; i++) s += @[i];", "for (long i = 0; i < n; i += 3) s += @[i];",
     false},
    {"static u32 @, @_too;", "s += @ + @_too;", "s += @ * @_too;", false},
    {"struct Fields @;", "@.x = s; @.z = s; @.c[0] = 1;", "@.y = s; @.c[1] = 1;", false},
    {"u32 @[4][4];", "for (long r = 0; r < 4; r++) for (long c = 0; c < r; c++) @[r][c] = s;",
     "for (long r = 0; r < 4; r++) for (long c = r; c < 4; c++) @[r][c] = s;", false},
    {"u32 @;", "__atomic_fetch_add(&@, 1u, __ATOMIC_RELAXED);", "__atomic_store_n(&@, 2u, __ATOMIC_RELAXED);",
     false},
};

} // namespace

void write_race_variables(const Program& program, Random& random, Text& text,
                          std::vector<std::string>& racy) {
  const std::string& p = program.prefix;
  std::vector<std::string> first, second;
  for (u64 i = random.between(2, 5); i > 0; i--) {
    const Planted& planted = random.pick(kPlanted);
    const std::string name = cat(p, planted.races ? "race" : "apart", i);
    text.line(with_name(planted.declaration, name));
    const bool swapped = random.chance(0.5);
    (swapped ? second : first).push_back(with_name(planted.first, name));
    (swapped ? first : second).push_back(with_name(planted.second, name));
    if (planted.races) racy.push_back(name);
    if (planted.has_partner) racy.push_back(name + "_too");
  }
  text.line("static void ", p, "prologue(struct ", p, "Environment *e) {");
  text.line("const long n = e->threads < 100 ? 16 : e->n;");
  text.line("u32 s = e->sink + 1u;"); // not known to the compiler, so that no access can be dropped
  for (const auto* side : {&first, &second}) {
    text.line(side == &first ? "if (e->me == 0) {" : "} else if (e->me == 1) {");
    for (const std::string& statement : *side) text.line(statement);
  }
  text.line("}");
  text.line("e->sink += s;");
  text.line("}");
}

} // namespace footrace::placement_fuzz
