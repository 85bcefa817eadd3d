#include "prove/program.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

namespace footrace::prove {
namespace {

enum class FileKind { Source, Bitcode, Other };

FileKind kind_of(llvm::StringRef file) {
  return llvm::StringSwitch<FileKind>(llvm::sys::path::extension(file))
      .Cases({".c", ".i", ".cc", ".cp", ".cpp", ".cxx", ".c++", ".C", ".ii"}, FileKind::Source)
      .Cases({".ll", ".bc"}, FileKind::Bitcode)
      .Default(FileKind::Other);
}

llvm::Error error(const llvm::Twine& message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

// Without -disable-O0-optnone every function would be closed to the preparation that follows.
std::vector<std::string> compile_command(const std::string& file, const std::string& output,
                                         const CompileRequest& request) {
  std::vector<std::string> command{request.clang, "-O0", "-g", "-Xclang", "-disable-O0-optnone", "-w"};
  command.insert(command.end(), request.arguments.begin(), request.arguments.end());
  command.insert(command.end(), {"-emit-llvm", "-c", file, "-o", output});
  return command;
}

llvm::Error run(const std::vector<std::string>& command) {
  std::vector<llvm::StringRef> words(command.begin(), command.end());
  std::string message;
  int code = llvm::sys::ExecuteAndWait(words[0], words, std::nullopt, {}, 0, 0, &message);
  if (code == 0) return llvm::Error::success();
  return error(message.empty() ? "the compiler failed" : message);
}

llvm::Expected<std::unique_ptr<llvm::Module>> read(const std::string& file, llvm::LLVMContext& context) {
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> module = llvm::parseIRFile(file, diagnostic, context);
  if (module) return module;
  return error(file + ": " + diagnostic.getMessage());
}

llvm::Expected<std::unique_ptr<llvm::Module>> compile(const std::string& file, const CompileRequest& request,
                                                      llvm::LLVMContext& context) {
  llvm::SmallString<128> output;
  if (std::error_code code = llvm::sys::fs::createTemporaryFile("footrace-prove", "bc", output))
    return error("cannot make a temporary file: " + code.message());
  llvm::FileRemover remover(output);
  if (llvm::Error failed = run(compile_command(file, output.str().str(), request)))
    return error(file + ": " + llvm::toString(std::move(failed)));
  return read(output.str().str(), context);
}

llvm::Expected<std::unique_ptr<llvm::Module>> load(const std::string& file, const CompileRequest& request,
                                                   llvm::LLVMContext& context) {
  switch (kind_of(file)) {
  case FileKind::Source:
    return compile(file, request, context);
  case FileKind::Bitcode:
    return read(file, context);
  case FileKind::Other:
    break;
  }
  return error(file + ": neither C or C++ source nor LLVM bitcode or assembly");
}

} // namespace

llvm::Expected<Program> load_program(const std::vector<std::string>& files, const CompileRequest& request) {
  Program program{std::make_unique<llvm::LLVMContext>(), nullptr};
  for (const std::string& file : files) {
    llvm::Expected<std::unique_ptr<llvm::Module>> module = load(file, request, *program.context);
    if (!module) return module.takeError();
    if (!program.module)
      program.module = std::move(*module);
    else if (llvm::Linker::linkModules(*program.module, std::move(*module)))
      return error(file + ": cannot be linked with the files before it");
  }
  if (!program.module) return error("no files");
  return program;
}

llvm::Expected<Program> parse_program(const std::string& assembly) {
  Program program{std::make_unique<llvm::LLVMContext>(), nullptr};
  llvm::SMDiagnostic diagnostic;
  program.module = llvm::parseAssemblyString(assembly, diagnostic, *program.context);
  if (!program.module) return error(diagnostic.getMessage());
  return program;
}

} // namespace footrace::prove
