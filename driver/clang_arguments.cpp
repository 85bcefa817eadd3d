#include "driver/clang_arguments.h"

#include "clang/Options/Options.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Option/Arg.h"
#include "llvm/Option/ArgList.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/StringSaver.h"
#include "llvm/TargetParser/Triple.h"

namespace opt = clang::options;
using llvm::StringRef;

namespace footrace::driver {

// Sanitizers that own the shadow, the allocator or the interceptors, as we do.
static bool is_incompatible_sanitizer(StringRef name) {
  static const llvm::StringSet<> names = {
      "address",       "hwaddress",     "kernel-address", "kernel-hwaddress", "memory",
      "kernel-memory", "leak",          "dataflow",       "realtime",         "type",
      "numerical",     "scudo",         "safe-stack",     "memtag",           "memtag-heap",
      "memtag-stack",  "memtag-globals"};
  return names.contains(name);
}

static void collect_sanitizers(const llvm::opt::ArgList& arguments, ClangArguments& found) {
  std::vector<std::string> enabled;
  for (const llvm::opt::Arg* arg : arguments.filtered(opt::OPT_fsanitize_EQ, opt::OPT_fno_sanitize_EQ)) {
    bool on = arg->getOption().matches(opt::OPT_fsanitize_EQ);
    for (const char* value : arg->getValues()) {
      llvm::erase_if(enabled,
                     [&](const std::string& name) { return name == value || StringRef(value) == "all"; });
      if (on) enabled.push_back(value);
      if (StringRef(value) == "thread" || StringRef(value) == "all") found.leaves_unchecked = !on;
    }
  }
  for (const std::string& name : enabled) {
    if (name == "thread") found.asks_for_thread_sanitizer = true;
    if (is_incompatible_sanitizer(name)) found.other_sanitizers.push_back(name);
  }
}

static std::vector<std::string> ignore_lists(const llvm::opt::ArgList& arguments) {
  std::vector<std::string> lists;
  for (const llvm::opt::Arg* arg :
       arguments.filtered(opt::OPT_fsanitize_ignorelist_EQ, opt::OPT_fno_sanitize_ignorelist)) {
    if (arg->getOption().matches(opt::OPT_fno_sanitize_ignorelist))
      lists.clear();
    else
      lists.push_back(arg->getValue());
  }
  return lists;
}

static std::string foreign_target(const llvm::opt::ArgList& arguments) {
  const llvm::opt::Arg* width = arguments.getLastArg(opt::OPT_m16, opt::OPT_m32, opt::OPT_m64, opt::OPT_mx32);
  if (width && !width->getOption().matches(opt::OPT_m64)) return width->getAsString(arguments);
  if (const llvm::opt::Arg* arg = arguments.getLastArg(opt::OPT_target, opt::OPT_target_legacy_spelling)) {
    llvm::Triple triple(llvm::Triple::normalize(arg->getValue()));
    if (triple.getArch() != llvm::Triple::x86_64 || !triple.isOSLinux() || triple.isX32())
      return arg->getAsString(arguments);
  }
  return "";
}

static LinkKind link_kind(const llvm::opt::ArgList& arguments, ClangArguments& found) {
  if (const llvm::opt::Arg* arg = arguments.getLastArg(
          opt::OPT_E, opt::OPT_M, opt::OPT_MM, opt::OPT_S, opt::OPT_c, opt::OPT_fsyntax_only,
          opt::OPT__precompile, opt::OPT__analyze, opt::OPT_emit_ast, opt::OPT_verify_pch,
          opt::OPT_extract_api, opt::OPT_rewrite_objc, opt::OPT_rewrite_legacy_objc,
          opt::OPT_emit_interface_stubs, opt::OPT_print_supported_cpus, opt::OPT_module_file_info)) {
    found.stops_with = arg->getAsString(arguments);
    return LinkKind::None;
  }
  if (found.inputs.empty()) return LinkKind::None;
  if (arguments.hasArg(opt::OPT_r)) return LinkKind::Relocatable;
  if (arguments.hasArg(opt::OPT_shared)) return LinkKind::Shared;
  return LinkKind::Executable;
}

ClangArguments inspect_clang_arguments(const std::vector<std::string>& arguments) {
  llvm::BumpPtrAllocator allocator;
  llvm::StringSaver saver(allocator);
  llvm::SmallVector<const char*, 64> words;
  for (const std::string& word : arguments) words.push_back(word.c_str());
  // A response file that cannot be read stays as it is: clang reports it.
  llvm::cl::ExpandResponseFiles(saver, llvm::cl::TokenizeGNUCommandLine, words);

  unsigned missing_index = 0, missing_count = 0;
  llvm::opt::InputArgList parsed = clang::getDriverOptTable().ParseArgs(
      words, missing_index, missing_count, llvm::opt::Visibility(opt::ClangOption));
  ClangArguments found;
  if (missing_count) found.missing_value = parsed.getArgString(missing_index);
  for (const llvm::opt::Arg* arg : parsed) {
    if (arg->getOption().matches(opt::OPT_UNKNOWN)) found.unknown.push_back(arg->getAsString(parsed));
    if (arg->getOption().matches(opt::OPT_INPUT)) found.inputs.push_back(arg->getValue());
    if (arg->getOption().matches(opt::OPT__DASH_DASH))
      for (const char* value : arg->getValues()) found.inputs.push_back(value);
  }
  found.output = parsed.getLastArgValue(opt::OPT_o);
  found.names_language = parsed.hasArg(opt::OPT_x);
  found.link = link_kind(parsed, found);
  if (const llvm::opt::Arg* arg = parsed.getLastArg(opt::OPT_static, opt::OPT_static_pie))
    found.static_option = arg->getAsString(parsed);
  found.links_libstdcxx_statically = parsed.hasArg(opt::OPT_static_libstdcxx);
  found.foreign_target = foreign_target(parsed);
  collect_sanitizers(parsed, found);
  found.ignore_lists = ignore_lists(parsed);
  return found;
}

} // namespace footrace::driver
