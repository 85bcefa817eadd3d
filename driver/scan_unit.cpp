#include "driver/scan_unit.h"

#include "driver/messages.h"
#include "driver/process.h"
#include "driver/temporary_folder.h"
#include "scan/units/embedded.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <filesystem>

namespace fs = std::filesystem;

namespace footrace::driver {
namespace {

using scan::units::CompileCommand;

// The command for one of the sources that the arguments name.
CompileCommand command_for(Language language, const std::vector<std::string>& arguments,
                           const ClangArguments& found, const std::string& source) {
  CompileCommand command;
  command.folder = fs::current_path();
  command.source = fs::absolute(source).lexically_normal();
  command.arguments = {language == Language::C ? "clang" : "clang++"};
  for (const std::string& word : arguments)
    if (word != "--" && !llvm::is_contained(found.inputs, word)) command.arguments.push_back(word);
  command.arguments.push_back(source);
  return command;
}

// Empty, or what is wrong.
std::string embed_unit(const Installation& installation, const CompileCommand& command,
                       const std::string& object) {
  TemporaryFolder folder;
  const std::string file = folder.path() + "/unit";
  if (run_and_wait(unit_command(installation, command, file)) != 0)
    return "the summary of '" + command.source + "' cannot be made";
  auto text = llvm::MemoryBuffer::getFile(file);
  if (!text) return "cannot read '" + file + "': " + text.getError().message();
  return scan::units::embed(object, (*text)->getBuffer().str());
}

} // namespace

std::vector<std::string> unit_command(const Installation& installation, const CompileCommand& command,
                                      const std::string& output) {
  std::vector<std::string> words = {installation.scan_unit,
                                    output,
                                    command.folder,
                                    command.source,
                                    llvm::utohexstr(command.digest(), /*LowerCase=*/true, 16),
                                    installation.clang_resources};
  words.insert(words.end(), command.arguments.begin(), command.arguments.end());
  return words;
}

int compile_and_embed(const Installation& installation, Language language, const Compilation& compilation,
                      const std::vector<std::string>& arguments) {
  const ClangArguments found = inspect_clang_arguments(arguments);
  std::vector<std::string> sources;
  llvm::copy_if(found.inputs, std::back_inserter(sources), scan::units::has_c_or_cxx);
  if (found.stops_with != "-c") {
    if (found.link != LinkKind::None && !sources.empty())
      note("--embed-summary needs -c: what is compiled and linked in one step keeps no object file");
    return replace_with(compilation.command);
  }
  if (int code = run_and_wait(compilation.command)) return code;
  for (const std::string& source : sources) {
    const std::string object =
        found.output.empty() ? fs::path(source).filename().replace_extension(".o").string() : found.output;
    const std::string wrong =
        embed_unit(installation, command_for(language, arguments, found, source), object);
    if (wrong.empty()) continue;
    std::error_code ignored;
    fs::remove(object, ignored); // or the next build would take it for finished
    return failure(wrong);
  }
  return ExitSuccess;
}

} // namespace footrace::driver
