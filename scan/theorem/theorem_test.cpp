// The True Positives Theorem as a test (RacerDX, POPL'19, Theorem 6.10): whatever the analysis claims about a random
// program has an execution that races; and the claims of the paper's domain are among those of the refined one, which are
// among RacerD's (section 7.2.1).
#include "scan/il/text.h"
#include "scan/theorem/claims.h"
#include "scan/theorem/faults.h"
#include "scan/theorem/generator.h"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace footrace::scan::theorem {
namespace {

constexpr const char* usage =
    "usage: scan_theorem [--programs N] [--seed S] [--language paper|cpp|threads] [--every-fault | --fault "
    "NAME] "
    "[--print]\n"
    "  --programs N   how many random programs (50000; with faults, the most that may be needed to see one)\n"
    "  --seed S       of the first program; program i has the seed S+i (1)\n"
    "  --language L   of the programs: Figure 4 of the paper, or with what C++ adds, or threads too (paper)\n"
    "  --fault NAME   with a deliberate mistake in the rules: a claim without a race must be found\n"
    "  --every-fault  succeed if each of the deliberate mistakes is found\n"
    "  --print        only print the program of --seed and what is claimed about it\n"
    "exit code: 0 every claim races, 1 one does not, 2 usage\n";

struct Settings {
  std::uint64_t programs = 50'000, seed = 1;
  Language language = Language::Paper;
  const Fault* fault = nullptr;
  bool every_fault = false, print = false;
};

[[noreturn]] void usage_error(const std::string& what) {
  std::fprintf(stderr, "scan_theorem: %s\n%s", what.c_str(), usage);
  std::exit(2);
}

std::uint64_t number(const std::string& option, const std::string& text) {
  std::uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) usage_error(option + " needs a number");
  return value;
}

const Fault* fault_named(const std::string& name) {
  for (const Fault& fault : faults())
    if (fault.name == name) return &fault;
  usage_error("no fault '" + name + "'");
}

Language language_named(const std::string& name) {
  if (name == "paper") return Language::Paper;
  if (name == "cpp") return Language::Cpp;
  if (name == "threads") return Language::Threads;
  usage_error("no language '" + name + "'; there are paper, cpp and threads");
}

Settings settings_of(int argc, char** argv) {
  Settings settings;
  for (int i = 1; i < argc; ++i) {
    std::string option = argv[i];
    auto value = [&]() -> std::string {
      if (++i >= argc) usage_error(option + " needs a value");
      return argv[i];
    };
    if (option == "--programs")
      settings.programs = number(option, value());
    else if (option == "--seed")
      settings.seed = number(option, value());
    else if (option == "--language")
      settings.language = language_named(value());
    else if (option == "--fault")
      settings.fault = fault_named(value());
    else if (option == "--every-fault")
      settings.every_fault = true;
    else if (option == "--print")
      settings.print = true;
    else
      usage_error("unknown option " + option);
  }
  return settings;
}

struct Counts {
  std::uint64_t claims = 0, programs_with_claims = 0;
};

il::Program program_of(const std::string& text) {
  il::ParseResult parsed = il::parse(text, "random.il");
  if (parsed.error.empty()) return std::move(parsed.program);
  std::fprintf(stderr, "%s\n%s\n", text.c_str(), parsed.error.c_str());
  std::abort();
}

// What is wrong with the analysis of this program; empty: nothing.
std::string check(const il::Program& program, const domain::Options& options, const domain::Rules& rules,
                  Counts& counts) {
  Claims made = claims(program, options, rules);
  counts.claims += made.size();
  counts.programs_with_claims += !made.empty();
  for (const auto& [claim, routes] : made)
    if (!find_race(program, claim, routes)) return "no race: " + describe(claim);
  return "";
}

std::string check_order(const il::Program& program) {
  using domain::Domain, domain::Wobbling;
  Claims paper = claims(program, {Domain::Stability, Wobbling::Paper});
  Claims refined = claims(program, {Domain::Stability, Wobbling::Refined});
  Claims racerd = claims(program, {Domain::Ownership, Wobbling::Refined});
  for (const Claim& claim : missing_from(paper, refined))
    return "not in the refined domain: " + describe(claim);
  for (const Claim& claim : missing_from(refined, racerd))
    return "not in RacerD's domain: " + describe(claim);
  return "";
}

int failed(std::uint64_t seed, const std::string& text, const std::string& what) {
  std::printf("seed %llu: %s\n%s", static_cast<unsigned long long>(seed), what.c_str(), text.c_str());
  return 1;
}

int check_all(const Settings& settings) {
  Counts paper, refined;
  for (std::uint64_t i = 0; i < settings.programs; ++i) {
    std::uint64_t seed = settings.seed + i;
    std::string text = random_program(seed, settings.language);
    il::Program program = program_of(text);
    std::string wrong = check(program, {domain::Domain::Stability, domain::Wobbling::Paper}, {}, paper);
    if (wrong.empty())
      wrong = check(program, {domain::Domain::Stability, domain::Wobbling::Refined}, {}, refined);
    if (wrong.empty()) wrong = check_order(program);
    if (!wrong.empty()) return failed(seed, text, wrong);
  }
  for (const auto& [name, counts] : {std::pair{"paper", paper}, std::pair{"refined", refined}})
    std::printf("%s: %llu claims in %llu of %llu programs, each with an execution that races\n", name,
                static_cast<unsigned long long>(counts.claims),
                static_cast<unsigned long long>(counts.programs_with_claims),
                static_cast<unsigned long long>(settings.programs));
  return refined.claims ? 0 : failed(settings.seed, "", "nothing was claimed: nothing was tested\n");
}

// The number of the program that shows it; 0: none does.
std::uint64_t finds(const Fault& fault, const Settings& settings) {
  Counts counts;
  for (std::uint64_t i = 0; i < settings.programs; ++i) {
    il::Program program = program_of(random_program(settings.seed + i, fault.language));
    domain::Options options{domain::Domain::Stability, fault.wobbling};
    if (!check(program, options, fault.rules, counts).empty()) return i + 1;
  }
  return 0;
}

int check_faults(const Settings& settings) {
  int result = 0;
  for (const Fault& fault : faults()) {
    if (settings.fault && settings.fault != &fault) continue;
    std::uint64_t program = finds(fault, settings);
    std::printf("%-28s %s\n", std::string(fault.name).c_str(),
                program ? ("found by program " + std::to_string(program)).c_str() : "NOT FOUND");
    result |= program == 0;
  }
  return result;
}

int print(const Settings& settings) {
  std::string text = random_program(settings.seed, settings.language);
  std::printf("%s", text.c_str());
  il::Program program = program_of(text);
  for (const auto& [claim, routes] : claims(program, {domain::Domain::Stability, domain::Wobbling::Refined}))
    std::printf("# %s: %s\n", describe(claim).c_str(),
                find_race(program, claim, routes) ? "races" : "NO RACE");
  return 0;
}

} // namespace
} // namespace footrace::scan::theorem

int main(int argc, char** argv) {
  using namespace footrace::scan::theorem;
  Settings settings = settings_of(argc, argv);
  if (settings.print) return print(settings);
  return settings.every_fault || settings.fault ? check_faults(settings) : check_all(settings);
}
