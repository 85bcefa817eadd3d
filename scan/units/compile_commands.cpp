#include "scan/units/compile_commands.h"

#include "scan/units/unit.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/StringSaver.h"

#include <filesystem>

namespace fs = std::filesystem;

namespace footrace::scan::units {
namespace {

std::string absolute(const std::string& path, const std::string& folder) {
  fs::path result(path);
  if (!result.is_absolute()) result = fs::path(folder) / result;
  return result.lexically_normal();
}

std::vector<std::string> split_command(llvm::StringRef command) {
  llvm::BumpPtrAllocator memory;
  llvm::StringSaver saver(memory);
  llvm::SmallVector<const char*, 64> words;
  llvm::cl::TokenizeGNUCommandLine(command, saver, words);
  return {words.begin(), words.end()};
}

// Empty, or what is wrong with the entry.
std::string read_entry(const llvm::json::Value& value, CompileCommand& out) {
  const llvm::json::Object* entry = value.getAsObject();
  if (!entry) return "is not an object";
  auto folder = entry->getString("directory");
  auto source = entry->getString("file");
  if (!folder || !source) return "has no 'directory' or no 'file'";
  out.folder = folder->str();
  out.source = absolute(source->str(), out.folder);
  if (const llvm::json::Array* arguments = entry->getArray("arguments")) {
    for (const llvm::json::Value& word : *arguments)
      if (auto text = word.getAsString()) out.arguments.push_back(text->str());
  } else if (auto command = entry->getString("command")) {
    out.arguments = split_command(*command);
  }
  return out.arguments.empty() ? "has neither 'arguments' nor 'command'" : "";
}

} // namespace

bool has_c_or_cxx(const std::string& source) {
  return llvm::StringSwitch<bool>(llvm::StringRef(source).rsplit('.').second)
      .Cases({"c", "cc", "cp", "cpp", "cxx", "c++", "C", "CPP", "i", "ii"}, true)
      .Default(false);
}

std::uint64_t CompileCommand::digest() const {
  std::string text = folder + '\0' + source + '\0' + std::to_string(reader);
  for (const std::string& word : arguments) text += '\0' + word;
  return digest_of(text);
}

CommandsResult parse_compile_commands(std::string_view json, const std::string& file) {
  CommandsResult result;
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(llvm::StringRef(json));
  const std::string advice =
      "; let the build system write it again (cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON)";
  if (!parsed) {
    result.error = "'" + file + "' is not JSON: " + llvm::toString(parsed.takeError()) + advice;
    return result;
  }
  const llvm::json::Array* entries = parsed->getAsArray();
  if (!entries) {
    result.error = "'" + file + "' is not a list of compile commands" + advice;
    return result;
  }
  llvm::StringSet<> seen;
  for (size_t i = 0; i < entries->size(); ++i) {
    CompileCommand command;
    if (std::string why = read_entry((*entries)[i], command); !why.empty()) {
      result.error = "entry " + std::to_string(i + 1) + " of '" + file + "' " + why + advice;
      return result;
    }
    if (has_c_or_cxx(command.source) && seen.insert(command.source).second)
      result.commands.push_back(std::move(command));
  }
  return result;
}

CommandsResult read_compile_commands(const std::string& folder) {
  std::error_code error;
  std::string file = fs::is_directory(folder, error) ? folder + "/compile_commands.json" : folder;
  auto buffer = llvm::MemoryBuffer::getFile(file);
  if (!buffer)
    return {{},
            "cannot read '" + file + "': " + buffer.getError().message() +
                "; build systems write it on request (cmake -DCMAKE_EXPORT_COMPILE_COMMANDS=ON, meson, 'bear "
                "-- make'), "
                "or give source files with their flags: FILE... -- FLAGS"};
  return parse_compile_commands((*buffer)->getBuffer(), file);
}

CompileCommand command_for(const std::string& source, const std::vector<std::string>& flags) {
  CompileCommand command;
  command.folder = fs::current_path();
  command.source = absolute(source, command.folder);
  command.arguments = {llvm::StringRef(source).ends_with(".c") ? "clang" : "clang++"};
  command.arguments.insert(command.arguments.end(), flags.begin(), flags.end());
  command.arguments.push_back(command.source);
  return command;
}

} // namespace footrace::scan::units
