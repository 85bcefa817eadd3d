#include "driver/prove_inputs.h"

#include "driver/build_flags.h"
#include "driver/jobs.h"
#include "driver/messages.h"
#include "prove/program.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"

#include <filesystem>
#include <fstream>
#include <thread>

namespace fs = std::filesystem;

namespace footrace::driver {
namespace {

std::string absolute(const std::string& file, const std::string& folder) {
  return (fs::path(folder) / file).lexically_normal();
}

std::vector<std::string> in_folder(const std::string& folder, const std::vector<std::string>& command) {
  std::vector<std::string> words = {"/bin/sh", "-c", R"(cd "$1" && shift && exec "$@")", "sh", folder};
  words.insert(words.end(), command.begin(), command.end());
  return words;
}

// Before C++20, libstdc++'s strings are compiled elsewhere, and a proof needs their code.
constexpr const char* strings_header = R"(#if defined(__cplusplus) && __has_include(<bits/c++config.h>)
#include <bits/c++config.h>
#undef _GLIBCXX_EXTERN_TEMPLATE
#define _GLIBCXX_EXTERN_TEMPLATE -1
#endif
)";

// Only a guess: the text may be in a comment, or main may come out of a macro.
bool mentions_main(const std::string& source) {
  auto buffer = llvm::MemoryBuffer::getFile(source);
  if (!buffer) return false;
  llvm::StringRef text = (*buffer)->getBuffer();
  for (size_t at = 0; (at = text.find("main", at)) != llvm::StringRef::npos; at += 4) {
    const bool begins = at > 0 && llvm::isSpace(text[at - 1]);
    if (begins && text.substr(at + 4).ltrim(" \t").starts_with("(")) return true;
  }
  return false;
}

bool has_main(const std::string& bitcode) {
  llvm::LLVMContext context;
  auto buffer = llvm::MemoryBuffer::getFile(bitcode);
  if (!buffer) return false;
  auto module = llvm::getOwningLazyBitcodeModule(std::move(*buffer), context);
  if (!module) return llvm::consumeError(module.takeError()), false;
  const llvm::Function* main = (*module)->getFunction("main");
  return main && !main->isDeclaration();
}

} // namespace

int ProveInputs::gather(const ProveOptions& options, const Installation& installation) {
  std::vector<Source> sources;
  if (int code = find_sources(options, sources)) return code;
  if (int code = compile(sources, options, installation)) return code;
  return options.build.empty() ? 0 : choose_main(sources, options.main_file);
}

int ProveInputs::find_sources(const ProveOptions& options, std::vector<Source>& sources) {
  const std::string here = fs::current_path();
  if (options.build.empty()) {
    for (const std::string& file : options.files)
      if (prove::is_source(file))
        sources.push_back({absolute(file, here), here, options.clang_arguments});
      else
        files_.push_back(file);
    return 0;
  }
  scan::units::CommandsResult all = scan::units::read_compile_commands(options.build);
  if (!all.error.empty()) return usage_error(all.error);
  std::set<std::string> wanted;
  for (const std::string& file : options.files) wanted.insert(absolute(file, here));
  for (const scan::units::CompileCommand& command : all.commands) {
    if (!options.files.empty() && !wanted.erase(command.source)) continue;
    Source source{command.source, command.folder, flags_of(command)};
    llvm::append_range(source.flags, options.clang_arguments);
    sources.push_back(std::move(source));
  }
  if (!wanted.empty())
    return usage_error("'" + *wanted.begin() + "' is not in the compile commands of '" + options.build + "'");
  return sources.empty()
             ? usage_error("the compile commands of '" + options.build + "' name no C or C++ source")
             : 0;
}

int ProveInputs::compile(const std::vector<Source>& sources, const ProveOptions& options,
                         const Installation& installation) {
  const std::string strings = folder_ + "/strings.h";
  if (!(std::ofstream(strings) << strings_header)) return failure("cannot write '" + strings + "'");
  std::vector<Job> jobs;
  for (const Source& source : sources) {
    const std::string output = folder_ + "/" + std::to_string(jobs.size()) + ".bc";
    std::vector<std::string> command =
        prove::compile_command(source.file, output, {installation.clang, source.flags});
    llvm::append_range(command, std::vector<std::string>{"-MMD", "-MF", output + ".d"});
    llvm::append_range(command, std::vector<std::string>{"-include", strings});
    // Proofs are for the compiler wrapper, for which headers may have other code (__has_feature(thread_sanitizer)).
    if (!options.proofs_file.empty())
      llvm::append_range(command, std::vector<std::string>{"-Xclang", "-fsanitize=thread"});
    jobs.push_back({in_folder(source.folder, command)});
    files_.push_back(output);
  }
  unsigned limit = options.jobs ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  std::vector<std::string> failed;
  // What seems to have a main goes first: a build of several programs is asked about before all of it has been compiled.
  std::vector<std::size_t> first, rest;
  for (std::size_t i = 0; i < sources.size(); i++)
    (!options.build.empty() && mentions_main(sources[i].file) ? first : rest).push_back(i);
  for (const std::vector<std::size_t>& batch : {first, rest}) {
    std::vector<Job> of_batch;
    for (std::size_t i : batch) of_batch.push_back(jobs[i]);
    run_jobs(of_batch, limit, [&](std::size_t index, int code) {
      if (code != 0) failed.push_back(sources[batch[index]].file);
    });
    if (!options.build.empty() && failed.empty() && options.main_file.empty())
      if (int code = ask_for_main(sources, batch)) return code;
  }
  for (std::size_t i = 0; i < sources.size(); i++)
    read_headers(folder_ + "/" + std::to_string(i) + ".bc.d", sources[i].folder);
  if (failed.empty()) return 0;
  llvm::sort(failed);
  return failure("a proof needs the whole program, and these do not compile: " + llvm::join(failed, ", "));
}

int ProveInputs::ask_for_main(const std::vector<Source>& sources, const std::vector<std::size_t>& numbers) {
  std::vector<std::string> with_main;
  for (std::size_t i : numbers)
    if (has_main(files_[files_.size() - sources.size() + i])) with_main.push_back(sources[i].file);
  if (with_main.size() < 2) return 0;
  return usage_error("the build makes several programs; choose one with --main FILE: " +
                     llvm::join(with_main, ", "));
}

// A build may make several programs from its sources; a proof is about one.
int ProveInputs::choose_main(const std::vector<Source>& sources, const std::string& main_file) {
  std::vector<std::string> with_main;
  std::vector<std::string> kept;
  const std::string wanted = main_file.empty() ? "" : absolute(main_file, fs::current_path());
  for (std::size_t i = 0; i < sources.size(); i++) {
    if (has_main(files_[i])) with_main.push_back(sources[i].file);
    bool is_other = !wanted.empty() && sources[i].file != wanted && has_main(files_[i]);
    if (!is_other) kept.push_back(files_[i]);
  }
  files_ = std::move(kept);
  if (!wanted.empty() && !llvm::is_contained(with_main, wanted))
    return usage_error("'" + wanted + "' has no main, or is not in the compile commands");
  if (wanted.empty() && with_main.size() > 1)
    return usage_error("the build makes several programs; choose one with --main FILE: " +
                       llvm::join(with_main, ", "));
  return 0;
}

// "out: a.c b.h \" and so on; a space in a name is escaped.
void ProveInputs::read_headers(const std::string& makefile, const std::string& folder) {
  auto buffer = llvm::MemoryBuffer::getFile(makefile);
  if (!buffer) return;
  llvm::StringRef rest = (*buffer)->getBuffer().split(": ").second;
  std::string name;
  auto finish = [&] {
    const bool is_ours = llvm::StringRef(name).starts_with(folder_);
    if (!name.empty() && !is_ours) headers_.insert(absolute(name, folder));
    name.clear();
  };
  for (std::size_t i = 0; i < rest.size(); i++) {
    if (rest[i] == '\\' && i + 1 < rest.size() && (rest[i + 1] == ' ' || rest[i + 1] == '\n')) {
      if (rest[++i] == ' ') name += ' ';
    } else if (llvm::isSpace(rest[i])) {
      finish();
    } else {
      name += rest[i];
    }
  }
  finish();
}

} // namespace footrace::driver
