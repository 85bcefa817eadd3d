#include "tests/placement/generator/program.h"

#include "tests/placement/generator/units.h"

namespace footrace::placement_fuzz {
namespace {

void write_prelude(Text& text, Language language) {
  text.line("// Generated: the same seed gives the same text.");
  text.line("#define _GNU_SOURCE 1");
  for (const char* header :
       {"pthread.h", "sched.h", "setjmp.h", "stdlib.h", "string.h", "unistd.h", "stddef.h"})
    text.line("#include <", header, ">");
  text.line("typedef unsigned char u8;");
  text.line("typedef unsigned short u16;");
  text.line("typedef unsigned int u32;");
  text.line("typedef unsigned long u64;");
  text.line("struct Fields { u32 x, y, z; u8 c[4]; };");
  if (language == Language::C) return;
  text.line("struct Guard {");
  text.line("pthread_mutex_t* lock;");
  text.line("explicit Guard(pthread_mutex_t* l) : lock(l) { pthread_mutex_lock(l); }");
  text.line("~Guard() { pthread_mutex_unlock(lock); }");
  text.line("};");
}

// Bounds on what a program does when it runs.
constexpr double kMostOfFunction = 1500;

Function write_function(Program& program, Random& random, Text& text, const std::string& name,
                        Parameters parameters, const std::string& recursion) {
  Body body(program, random, text);
  body.values = {"v0", "v1", "v2"};
  const bool environment = parameters == Parameters::Environment;
  const std::string node = cat("struct ", program.prefix, "Node");
  text.line(function_head(program, name, parameters, !recursion.empty() || random.chance(0.5)), " {");
  if (environment) {
    body.has_environment = true;
    body.may_synchronise = random.chance(0.6);
    body.may_escape = random.chance(0.35);
    body.recursion = recursion;
    text.line("u32 v0 = depth + 1, v1 = e->me, v2 = 7;");
    add_environment(body, random, text, node);
  } else {
    text.line("u32 v0 = k, v1 = 3, v2 = k ^ 21u;");
    if (parameters == Parameters::Node)
      body.nodes = {"p"};
    else
      body.views = {{"a", parameters == Parameters::Ints ? "u32" : "u8", "n", "", ""}};
  }
  body.statements(unsigned(environment ? random.between(3, 6) : random.between(1, 3)));
  text.line("return v0 + v1 * 3 + v2;");
  text.line("}");
  return {name, parameters, body.synchronises(), body.escapes(), body.cost()};
}

void write_functions(Program& program, Random& random, Text& text) {
  unsigned number = 0;
  const auto next = [&] { return cat(program.prefix, "f", ++number); };
  const auto add = [&](const Function& function) {
    if (function.cost < kMostOfFunction) program.functions.push_back(function);
  };
  for (Parameters parameters : {Parameters::Ints, Parameters::Bytes, Parameters::Node})
    for (u64 i = random.between(1, 2); i > 0; i--)
      add(write_function(program, random, text, next(), parameters, ""));
  for (u64 i = random.between(1, 2); i > 0; i--) {
    const std::string name = next();
    if (random.chance(0.6)) {
      add(write_function(program, random, text, name, Parameters::Environment,
                         random.chance(0.5) ? name + "(e, depth - 1)" : ""));
      continue;
    }
    // Two that call each other.
    const std::string partner = next();
    text.line(function_head(program, partner, Parameters::Environment, true), ";");
    const Function first =
        write_function(program, random, text, name, Parameters::Environment, partner + "(e, depth - 1)");
    const Function second =
        write_function(program, random, text, partner, Parameters::Environment, name + "(e, depth - 1)");
    add({first.name, first.parameters, first.synchronises || second.synchronises,
         first.escapes || second.escapes, first.cost + second.cost});
  }
}

} // namespace

Generated generate(const Request& request) {
  Text text;
  Generated generated;
  write_prelude(text, request.language);
  std::vector<std::string> runs;
  for (u64 i = 0; i < request.programs; i++) {
    Random random(request.seed + i);
    random.next();
    Program program{request.language,
                    cat("p", request.seed + i, "_"),
                    unsigned(random.between(2, 3)),
                    {},
                    i + 1 == request.programs && random.chance(0.3),
                    random.chance(0.4)};
    write_types(program, random, text);
    write_functions(program, random, text);
    write_threads(program, random, text, request.races ? &generated.racy : nullptr);
    runs.push_back(program.prefix + "run");
  }
  text.line("int main(void) {");
  for (const std::string& run : runs) text.line(run, "();");
  text.line("return 0;");
  text.line("}");
  generated.source = text.str();
  return generated;
}

} // namespace footrace::placement_fuzz
