// `footrace explain-checks`: a source file with what the pass did about each of its accesses. The pass writes it down
// (instrument/explain.h) while the file is compiled; here it is put under the lines.
#include "driver/commands.h"
#include "driver/compile.h"
#include "driver/messages.h"
#include "driver/process.h"
#include "driver/temporary_folder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <map>
#include <unistd.h>

namespace fs = std::filesystem;

namespace footrace::driver {
namespace {

// What is said about one line, in the order of the columns; equal remarks are counted.
struct Remark {
  bool is_check; // or it is an access
  unsigned column;
  std::string text;
  auto operator<=>(const Remark&) const = default;
};
using Remarks = std::map<unsigned, std::map<Remark, unsigned>>; // by line

// Whether the paths that debug information gives are the file; asked many times about few paths.
class SameFile {
public:
  explicit SameFile(const std::string& file) : file_(file) {}
  bool operator()(llvm::StringRef path) {
    auto [known, is_new] = known_.try_emplace(path.str(), false);
    std::error_code error;
    if (is_new) known->second = fs::equivalent(file_, path.str(), error);
    return known->second;
  }

private:
  std::string file_;
  std::map<std::string, bool> known_;
};

Remarks read_remarks(llvm::StringRef text, const std::string& file) {
  Remarks remarks;
  SameFile same_file(file);
  llvm::SmallVector<llvm::StringRef, 0> lines;
  text.split(lines, '\n', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef line : lines) {
    llvm::SmallVector<llvm::StringRef, 6> fields;
    line.split(fields, '\t', 5);
    unsigned number = 0, column = 0;
    if (fields.size() != 6 || fields[2].getAsInteger(10, number) || fields[3].getAsInteger(10, column))
      continue;
    if (same_file(fields[1])) ++remarks[number][{fields[0] == "check", column, fields[5].str()}];
  }
  return remarks;
}

const char* colour_of(const Remark& remark) {
  if (remark.is_check) return "\033[32m";
  return llvm::StringRef(remark.text).ends_with(": checked") ? "\033[36m" : "\033[2m";
}

void print_source(llvm::StringRef source, const Remarks& remarks) {
  bool coloured = may_colour(STDOUT_FILENO);
  llvm::raw_ostream& out = llvm::outs();
  unsigned number = 0;
  while (!source.empty()) {
    auto [line, rest] = source.split('\n');
    source = rest;
    out << llvm::format("%5u | ", ++number) << line << '\n';
    auto found = remarks.find(number);
    if (found == remarks.end()) continue;
    for (const auto& [remark, count] : found->second) {
      out << "      |   " << (coloured ? colour_of(remark) : "") << (remark.is_check ? "made here: " : "");
      if (!remark.is_check) out << "column " << remark.column << ": ";
      out << remark.text;
      if (count > 1) out << " (" << count << " times)";
      out << (coloured ? "\033[0m" : "") << '\n';
    }
  }
}

int parse(const Arguments& arguments, CompileOptions& options, Arguments& rest) {
  for (const std::string& word : arguments) {
    int code = 0;
    if (!take_compile_option(word, options, code)) rest.push_back(word);
    if (code) return code;
  }
  return 0;
}

} // namespace

int command_explain_checks(const Arguments& arguments) {
  CompileOptions options;
  Arguments clang_arguments = {"-O2"};
  if (int code = parse(arguments, options, clang_arguments)) return code;
  ClangArguments found = inspect_clang_arguments(clang_arguments);
  if (found.inputs.size() != 1)
    return usage_error("explain-checks takes one source file; usage: footrace explain-checks FILE [FLAGS]");
  const std::string& file = found.inputs[0];
  if (!found.output.empty() || !found.stops_with.empty())
    return usage_error("explain-checks does not take '" + (found.output.empty() ? found.stops_with : "-o") +
                       "': it keeps nothing of what it compiles");
  auto source = llvm::MemoryBuffer::getFile(file, /*IsText=*/true);
  if (!source) return usage_error("cannot read '" + file + "': " + source.getError().message());
  std::optional<Installation> installation = find_installation();
  if (!installation) return ExitFailure;

  TemporaryFolder folder;
  if (!folder.exists()) return failure("cannot make a folder '" + folder.path() + "': " + strerror(errno));
  options.explain_file = folder.path() + "/remarks";
  llvm::append_range(clang_arguments, Arguments{"-c", "-o", folder.path() + "/object.o"});
  Compilation compilation;
  Language language = fs::path(file).extension() == ".c" ? Language::C : Language::Cxx;
  if (int code = plan_compilation(*installation, language, options, clang_arguments, compilation))
    return code;
  if (run_and_wait(compilation.command) != 0)
    return failure("'" + file + "' is not explained: the compilation failed");
  auto remarks = llvm::MemoryBuffer::getFile(options.explain_file, /*IsText=*/true);
  // Without one the pass has found no function to speak about.
  print_source((*source)->getBuffer(), remarks ? read_remarks((*remarks)->getBuffer(), file) : Remarks());
  return ExitSuccess;
}

} // namespace footrace::driver
