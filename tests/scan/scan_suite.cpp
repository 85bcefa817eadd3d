// Lowers and scans one file of the suite and checks what is reported against the names of its functions: the access to
// be repaired is in a function whose name ends in _bad, never in one that ends in _ok; and against the golden reports; and
// that the program survives being printed and parsed.
//   scan_suite FILE.cpp [--print] [--il] [--domain=ownership]
#include "scan/domain/report.h"
#include "scan/frontend/lower.h"
#include "scan/il/text.h"

#include "clang/Frontend/ASTUnit.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstdio>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

namespace footrace::scan {
namespace {

struct Settings {
  std::string file;
  bool print = false, il = false;
  domain::Options options;
};

std::string read(const std::string& file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::unique_ptr<clang::ASTUnit> parse(const std::string& file) {
  return clang::tooling::buildASTFromCodeWithArgs(read(file),
                                                  {"-std=c++20", "-fsyntax-only", "-Wno-everything",
                                                   "-resource-dir", CLANG_RESOURCE_DIR, "-I", SUITE_DIR},
                                                  file, "scan-suite");
}

std::string method_of(const findings::Access& access) { return access.stack.back().function; }

// One line per report; lines of the source are left out, so that a test can be added in the middle.
std::string line_of(const findings::Finding& finding) {
  std::string text = finding.rule + " " + method_of(finding.accesses[0]) + " " + finding.memory->name +
                     " / " + method_of(finding.accesses[1]);
  for (const findings::Access& access : finding.accesses) {
    text += access.locks.empty() ? " -" : "";
    for (const findings::HeldLock& lock : access.locks)
      text += " " + lock.name + (lock.mode == findings::LockMode::Shared ? "(shared)" : "");
  }
  return text + "\n";
}

// The last part of "Class::method_bad".
std::string short_name(const std::string& name) {
  std::string text = name.substr(0, name.find('('));
  return text.substr(text.rfind(':') + 1);
}

// Instances of one template are reported once.
std::string without_arguments(const std::string& name) {
  std::string text;
  int depth = 0;
  for (char c : name) {
    depth += c == '<';
    if (depth == 0) text += c;
    depth -= c == '>';
  }
  return text;
}

int check_names(const il::Program& program, const std::vector<findings::Finding>& found) {
  std::set<std::string> reported;
  std::set<std::string> involved; // of two accesses without a lock, both are to be repaired
  for (const findings::Finding& finding : found) {
    reported.insert(without_arguments(method_of(finding.accesses[0])));
    involved.insert(without_arguments(method_of(finding.accesses[0])));
    if (finding.accesses[1].locks.empty()) involved.insert(without_arguments(method_of(finding.accesses[1])));
  }
  int wrong = 0;
  unsigned bad = 0, ok = 0;
  for (const il::Method& method : program.methods) {
    if (method.internal) continue; // the body of a lambda is part of the function around it
    std::string name = short_name(method.shown.text());
    bool is_bad = name.ends_with("_bad"), is_ok = name.ends_with("_ok");
    bad += is_bad;
    ok += is_ok;
    if (is_bad && !involved.contains(without_arguments(method.shown.text()))) {
      std::printf("missed: %s\n", method.shown.text().c_str());
      wrong = 1;
    }
    if (is_ok && reported.contains(without_arguments(method.shown.text()))) {
      std::printf("false alarm: %s\n", method.shown.text().c_str());
      wrong = 1;
    }
  }
  std::printf("%u functions that race, %u that do not\n", bad, ok);
  if (bad + ok == 0) {
    std::printf("no function is named *_bad or *_ok\n");
    wrong = 1;
  }
  return wrong;
}

int check_golden(const std::string& file, const std::string& actual) {
  std::string golden = file.substr(0, file.rfind('.')) + ".expected";
  if (read(golden) == actual) return 0;
  std::printf("reports differ from %s:\n%s", golden.c_str(), actual.c_str());
  return 1;
}

// Units are kept as text: what is read again must be what was lowered.
int check_text(const il::Program& program) {
  il::ParseResult again = il::parse(print(program), "printed.il");
  if (again.error.empty() && again.program == program) return 0;
  std::printf("the printed program reads as another one: %s\n", again.error.c_str());
  return 1;
}

int run(const Settings& settings) {
  std::unique_ptr<clang::ASTUnit> unit = parse(settings.file);
  if (!unit || unit->getDiagnostics().hasErrorOccurred()) {
    std::printf("%s does not compile\n", settings.file.c_str());
    return 1;
  }
  il::Program program = frontend::lower(unit->getASTContext());
  if (settings.il) std::printf("%s", print(program).c_str());
  std::vector<findings::Finding> found = domain::scan(program, settings.options);
  std::string actual;
  for (const findings::Finding& finding : found) actual += line_of(finding);
  if (settings.print) {
    std::printf("%s", actual.c_str());
    return 0;
  }
  int wrong_names = check_names(program, found);
  return check_golden(settings.file, actual) | wrong_names | check_text(program);
}

} // namespace
} // namespace footrace::scan

int main(int argc, char** argv) {
  footrace::scan::Settings settings;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument == "--print")
      settings.print = true;
    else if (argument == "--il")
      settings.il = true;
    else if (argument == "--domain=ownership")
      settings.options.domain = footrace::scan::domain::Domain::Ownership;
    else
      settings.file = argument;
  }
  if (settings.file.empty()) {
    std::fprintf(stderr, "usage: scan_suite FILE.cpp [--print] [--il] [--domain=ownership]\n");
    return 2;
  }
  return footrace::scan::run(settings);
}
