#include "findings/objects.h"

#include "findings/frames.h"

namespace footrace::findings {

std::string object_key(const Finding& finding) {
  if (!finding.memory) return {};
  for (const Access& access : finding.accesses)
    if (!access.intercepted.empty() || !has_user_frame(access) || user_frame(access) != 0) return {};
  const Memory& memory = *finding.memory;
  if (!memory.name.empty()) return memory.name;
  if (memory.allocated.empty()) return {};
  Access allocation;
  allocation.stack = memory.allocated;
  if (!has_user_frame(allocation)) return {};
  const StackFrame& frame = memory.allocated[user_frame(allocation)];
  if (frame.location.line != 0) return to_text(frame.location, true);
  return frame.module.empty() ? std::string() : module_text(frame.module, frame.offset);
}

namespace {

std::string name_of_subject(const Finding& finding) {
  for (const Access& access : finding.accesses)
    if (!access.expression.empty() && access.use != "call") return access.expression;
  if (finding.memory && !finding.memory->name.empty()) return finding.memory->name;
  for (const Access& access : finding.accesses)
    if (!access.expression.empty()) return access.expression;
  return {};
}

} // namespace

std::string subject_of(const Finding& finding) {
  if (std::string name = name_of_subject(finding); !name.empty()) return name;
  if (!finding.memory) return "memory";
  switch (finding.memory->region) {
  case Region::Heap:
    if (finding.memory->size == 0) return "a heap block";
    return "a heap block of " + std::to_string(finding.memory->size) +
           (finding.memory->size == 1 ? " byte" : " bytes");
  case Region::Stack:
    return "a local variable";
  case Region::ThreadLocal:
    return "a thread-local variable";
  case Region::Global:
    return "a global variable";
  case Region::Unknown:
    break;
  }
  return "memory";
}

Variable variable_of(const Finding& finding) {
  const std::string name = name_of_subject(finding), object = object_key(finding);
  const std::size_t dot = name.rfind('.');
  const std::string member = dot == std::string::npos ? "" : name.substr(dot);
  if (object.empty()) return {dot == std::string::npos ? name : member, name};
  // A pointer may be called anything; a global has one name.
  const bool is_global = finding.memory && finding.memory->name == object;
  return {object + member, is_global ? object + member : subject_of(finding)};
}

namespace {

constexpr std::size_t most_callers = 4; // nearest: a recursion would be new at each of its depths otherwise

// Frames of one function in a row are one: a recursion.
std::string callers_of(const Access& access) {
  if (access.stack_lost || access.stack.empty()) return {};
  std::string key;
  const StackFrame* last = nullptr;
  for (std::size_t i = user_frame(access), count = 0; i < access.stack.size() && count <= most_callers; ++i) {
    const StackFrame& frame = access.stack[i];
    if (has_library_code(frame) || (last && last->function == frame.function)) continue;
    last = &frame;
    key += frame.function + '\x1f' + to_text(frame.location, true) + '\x1e';
    ++count;
  }
  return key;
}

} // namespace

std::vector<std::string> caller_keys(const Finding& finding) {
  std::vector<std::string> keys;
  for (const Access& access : finding.accesses) keys.push_back(callers_of(access));
  return keys;
}

} // namespace footrace::findings
