#include "scan/witness/program.h"

#include "llvm/ADT/STLExtras.h"

namespace footrace::scan::witness {
namespace {

// Whether `derived` is `base` or derives from it.
bool is_kind_of(il::Name derived, il::Name base, const il::Program& program) {
  if (derived == base) return true;
  for (const il::Class& entry : program.classes)
    if (entry.name == derived)
      return llvm::any_of(entry.bases, [&](il::Name parent) { return is_kind_of(parent, base, program); });
  return false;
}

const std::string& shown(const il::Method& method) {
  return (method.shown.empty() ? method.name : method.shown).text();
}

class Planner {
public:
  Planner(const il::Program& program, const Library& library) : program_(program), library_(library) {}

  Witness run(const domain::Race& race) {
    witness_.title = shown(*race.weak.method) + " and " + shown(*race.other.method) + ", on " +
                     domain::describe_access(race.weak);
    if (has_object(race.weak)) make_shared(race);
    witness_.first = call(race.weak, "first");
    witness_.second = call(race.other, "second");
    return std::move(witness_);
  }

private:
  static bool has_object(const domain::Side& side) {
    return side.access.path->root.kind == il::RootKind::Formal;
  }

  static il::Name object_class(const domain::Side& side) {
    const il::Method& method = *side.method;
    const unsigned index = side.access.path->root.index;
    return method.has_this && index == 0 ? method.of_class : method.formals[index].type;
  }

  void miss(const std::string& why) {
    if (witness_.missing.empty()) witness_.missing = why;
  }

  void include(const std::string& source) {
    if (!llvm::is_contained(witness_.sources, source)) witness_.sources.push_back(source);
  }

  // `this` of both calls, or what both are given: an object of the class that is derived from the other.
  void make_shared(const domain::Race& race) {
    il::Name of_class = object_class(race.weak);
    if (is_kind_of(object_class(race.other), of_class, program_)) of_class = object_class(race.other);
    make("shared", of_class);
  }

  void make(const std::string& name, il::Name of_class) {
    const auto* entry = library_.object(of_class);
    if (!entry) return miss("how to make the object is not known");
    if (!entry->facts.made.missing.empty()) return miss(entry->facts.made.missing);
    witness_.setup += "    auto* " + name + " = " + entry->facts.made.text + ";\n";
  }

  std::string call(const domain::Side& side, const std::string& name) {
    const il::Method& method = *side.method;
    const auto* entry = library_.call(method.name);
    if (!entry) {
      miss("how to call " + shown(method) + " is not known");
      return "";
    }
    const CallFacts& facts = entry->facts;
    if (!facts.missing.empty()) miss("a test cannot call " + shown(method) + ": " + facts.missing);
    // The class came with the first source; a function needs its own.
    if (witness_.sources.empty() || !facts.has_this) include(entry->source);
    std::string text;
    if (facts.has_this) text = receiver(side, name) + "->";
    return text + facts.callee + "(" + arguments(side, facts) + ")";
  }

  std::string receiver(const domain::Side& side, const std::string& name) {
    if (has_object(side) && side.access.path->root.index == 0) return "shared";
    make(name, side.method->of_class);
    return name;
  }

  std::string arguments(const domain::Side& side, const CallFacts& facts) {
    std::string all;
    for (std::size_t i = 0; i < facts.parameters.size(); ++i) {
      const Parameter& parameter = facts.parameters[i];
      const std::size_t formal =
          i + (side.method->has_this ? 1 : 0); // a constructor has `this`, and is called without
      all += (i ? ", " : "");
      if (has_object(side) && side.access.path->root.index == formal) {
        if (parameter.passing == Passing::Copy)
          miss("the shared object is passed by value or in a smart pointer");
        all += parameter.passing == Passing::Reference ? "*shared" : "shared";
        continue;
      }
      if (!parameter.made.missing.empty())
        miss("an argument of " + shown(*side.method) + " cannot be made: " + parameter.made.missing);
      all += parameter.made.text;
    }
    return all;
  }

  const il::Program& program_;
  const Library& library_;
  Witness witness_;
};

constexpr const char* kThreads = R"(
namespace {
std::atomic<int> footrace_missing;
// Relaxed: the two calls start together, or one a little later, and no order between them is made.
void footrace_meet(bool later) {
  footrace_missing.fetch_sub(1, std::memory_order_relaxed);
  while (footrace_missing.load(std::memory_order_relaxed) > 0) std::this_thread::yield();
  for (int i = 0; later && i < 200; ++i) std::this_thread::yield();
}
} // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 1;
  for (int round = 0; round < rounds; ++round) {
    footrace_missing.store(2, std::memory_order_relaxed);
    [[maybe_unused]] const int footrace_number = 1;
)";

// `number`: what the call is given where it takes a number; `later`: whether the other goes first. Both by round.
std::string thread(const std::string& name, const std::string& call, const std::string& number,
                   const std::string& later, bool exceptions) {
  std::string body = "static_cast<void>(" + call + ");";
  // What the call makes of made-up arguments is not the point.
  if (exceptions) body = "try { " + body + " } catch (...) {}";
  return "    std::thread " + name +
         "_thread([=] {\n      [[maybe_unused]] const int footrace_number = " + number +
         ";\n      footrace_meet(" + later + ");\n      " + body + "\n    });\n";
}

} // namespace

void Library::add(const std::string& source, Facts facts) {
  for (CallFacts& call : facts.calls) calls_.try_emplace(call.method, Entry<CallFacts>{call, source});
  for (ObjectFacts& object : facts.objects) {
    auto [at, fresh] = objects_.try_emplace(object.of_class, Entry<ObjectFacts>{object, source});
    // A class that is only declared in one unit is defined in another.
    if (!fresh && !at->second.facts.made.missing.empty() && object.made.missing.empty())
      at->second = {object, source};
  }
}

const Library::Entry<CallFacts>* Library::call(il::Name method) const {
  auto at = calls_.find(method.text());
  return at == calls_.end() ? nullptr : &at->second;
}

const Library::Entry<ObjectFacts>* Library::object(il::Name of_class) const {
  auto at = objects_.find(of_class.text());
  return at == objects_.end() ? nullptr : &at->second;
}

Witness plan(const domain::Race& race, const il::Program& program, const Library& library) {
  return Planner(program, library).run(race);
}

std::string write_program(const Witness& witness, const std::string& command, bool exceptions) {
  std::string text = "// Witness of a race: " + witness.title +
                     ".\n// Two threads are given the same object and make one call each. Written by "
                     "'footrace scan --witness'.\n"
                     "// Compile: " +
                     command +
                     "\n// Run: PROGRAM [ROUNDS]\n"
                     "#include <atomic>\n#include <cstdlib>\n#include <memory>\n#include <thread>\n\n"
                     "#define main footrace_main_of_the_source\n";
  for (const std::string& source : witness.sources) text += "#include \"" + source + "\"\n";
  text += "#undef main\n";
  text += kThreads + witness.setup +
          thread("first", witness.first, "round % 3", "round % 2 == 0", exceptions) +
          thread("second", witness.second, "round / 3 % 3", "round % 2 == 1", exceptions);
  return text + "    first_thread.join();\n    second_thread.join();\n  }\n}\n";
}

} // namespace footrace::scan::witness
