#include "findings/symbolizer.h"

#include "findings/debug_info.h"
#include "findings/frames.h"
#include "findings/names.h"
#include "findings/source.h"

#include "llvm/DebugInfo/DIContext.h"
#include "llvm/DebugInfo/Symbolize/Symbolize.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/Error.h"

#include <ranges>
#include <unordered_map>

namespace footrace::findings {
namespace {

using llvm::symbolize::LLVMSymbolizer;

LLVMSymbolizer::Options symbolizer_options() {
  LLVMSymbolizer::Options options;
  options.Demangle = false; // done by readable_name; the linkage name is kept too
  options.DebugFileDirectory = {"/usr/lib/debug"};
  return options;
}

std::string known(const std::string& text) {
  return text == llvm::DILineInfo::BadString ? std::string() : text;
}

// "[vdso]", "[anon]" and unnamed mappings have no file to read.
bool has_file(const Module& module) { return !module.path.empty() && module.path.front() != '['; }

void set_names(StackFrame& frame, const std::string& linkage_name) {
  if (linkage_name.empty()) return;
  frame.function = readable_name(linkage_name);
  if (frame.function != linkage_name) frame.linkage_name = linkage_name;
}

} // namespace

struct Symbolizer::State {
  LLVMSymbolizer llvm{symbolizer_options()};
  std::vector<Module> modules;
  std::unordered_map<std::uint64_t, Stack> cache;
  std::unordered_map<std::string, DebugInfo> debug_info; // by module
  SourceLines source;

  DebugInfo& debug_info_of(const Module& module) {
    return debug_info.try_emplace(module.path, module.path).first->second;
  }
};

Symbolizer::Symbolizer() : state_(std::make_unique<State>()) {}
Symbolizer::~Symbolizer() = default;

void Symbolizer::set_modules(std::vector<Module> modules) {
  state_->modules = std::move(modules);
  state_->cache.clear(); // dlclose and dlopen may have put another library at an address
}

const Module* Symbolizer::module_of(std::uint64_t address) const {
  // Backwards: unloaded libraries stay in the list, and one that took their place comes later.
  for (const Module& module : std::views::reverse(state_->modules))
    if (module.begin <= address && address < module.end) return &module;
  return nullptr;
}

Stack Symbolizer::frames_at(std::uint64_t return_address) {
  auto [entry, is_new] = state_->cache.try_emplace(return_address);
  if (!is_new) return entry->second;
  Stack& frames = entry->second;
  // The call ends just before its return address, which may already belong to another line or function.
  std::uint64_t call = return_address == 0 ? 0 : return_address - 1;
  const Module* module = module_of(call);
  if (module && has_file(*module)) {
    llvm::Expected<llvm::DIInliningInfo> info = state_->llvm.symbolizeInlinedCode(
        module->path, {call - module->base, llvm::object::SectionedAddress::UndefSection});
    if (!info)
      llvm::consumeError(info.takeError()); // unreadable or stripped: module and offset are what is known
    for (unsigned i = 0; info && i < info->getNumberOfFrames(); ++i) {
      const llvm::DILineInfo& line = info->getFrame(i);
      StackFrame frame;
      set_names(frame, known(line.FunctionName));
      if (line.Line != 0) frame.location = {readable_path(known(line.FileName)), line.Line, line.Column};
      frame.inlined = i + 1 < info->getNumberOfFrames();
      frames.push_back(std::move(frame));
    }
  }
  if (frames.empty()) frames.emplace_back();
  for (StackFrame& frame : frames) {
    frame.module = module ? module->path : "";
    frame.offset = module ? call - module->base : 0;
  }
  if (!module) frames.back().function = "<unknown module> at " + to_hex(call);
  return frames;
}

void Symbolizer::append_frames(const std::vector<std::uint64_t>& return_addresses, Stack& stack) {
  for (std::uint64_t address : return_addresses) {
    for (StackFrame& frame : frames_at(address))
      if (!has_runtime_code(frame)) stack.push_back(std::move(frame));
  }
}

void Symbolizer::describe_global(Memory& memory) {
  const Module* module = module_of(memory.address);
  if (!module) return;
  memory.module = module->path;
  memory.offset = memory.address - module->base;
  if (!has_file(*module)) return;
  llvm::Expected<llvm::DIGlobal> global =
      state_->llvm.symbolizeData(module->path, {memory.offset, llvm::object::SectionedAddress::UndefSection});
  if (!global) {
    llvm::consumeError(global.takeError());
    return;
  }
  std::string name = known(global->Name);
  // A symbol is only the nearest one below the address: outside its size it is not this variable.
  if (name.empty() || global->Start > memory.offset || memory.offset - global->Start >= global->Size) return;
  memory.name = readable_name(name);
  memory.begin = global->Start + module->base;
  memory.member =
      state_->debug_info_of(*module).member_of_global(global->Start, memory.offset - global->Start);
  memory.size = global->Size;
  if (global->DeclLine != 0)
    memory.location = {readable_path(global->DeclFile), static_cast<unsigned>(global->DeclLine), 0};
}

void Symbolizer::describe_block(Memory& memory, std::uint64_t allocated_at) {
  const Module* module = module_of(allocated_at - 1);
  if (!module || !has_file(*module) || memory.address < memory.begin) return;
  SourceLocation place = frames_at(allocated_at).front().location;
  AllocatedType found = state_->debug_info_of(*module).allocated_type(
      allocated_at - module->base, memory.size, memory.address - memory.begin,
      state_->source.line(place).value_or(""), place.column);
  memory.type = found.name;
  memory.member = found.member;
}

namespace {

// Whoever made one of the accesses from there knows the function by name.
std::string function_that_returns_to(std::uint64_t returns, const RawRace& race) {
  for (const RawAccess& access : race.accesses)
    if (!access.sites.empty() && access.thread == race.memory->thread && !access.stack.empty() &&
        access.stack.front() == returns)
      return access.sites.back().function;
  return race.memory->thread == 0u ? "main" : "";
}

} // namespace

void Symbolizer::describe_stack(Memory& memory, const RawRace& race) {
  const RawFrame& raw = race.memory->frame;
  if (raw.address == 0) return;
  std::string function = function_that_returns_to(raw.returns, race);
  const Module* module = raw.code != 0 ? module_of(raw.code) : nullptr;
  if (!module && !state_->modules.empty()) module = &state_->modules.front(); // the program
  if (!module || !has_file(*module)) return;
  LiveFrame frame{raw.address, raw.code != 0 ? raw.code - module->base : 0, function};
  StackVariable found = state_->debug_info_of(*module).stack_variable(frame, memory.address);
  if (found.name.empty()) return;
  memory.name = found.name;
  memory.member = found.member;
  memory.location = found.location;
  memory.begin = memory.address - static_cast<std::uint64_t>(found.offset);
  memory.size = found.size;
}

ForeignCode Symbolizer::foreign_code(const StackFrame& frame) {
  // Frames without an offset come from the records of instrumented code.
  if (frame.module.empty() || frame.module.front() == '[' || frame.offset == 0 || has_library_code(frame))
    return {};
  DebugInfo& module = state_->debug_info.try_emplace(frame.module, frame.module).first->second;
  if (!module.has_object()) return {};
  if (!module.has_section("footrace_sites")) return {std::string(file_name(frame.module)), true};
  std::string compiler = module.foreign_compiler_at(frame.offset);
  return {compiler.empty() ? compiler : "code compiled by " + compiler, false};
}

} // namespace footrace::findings
