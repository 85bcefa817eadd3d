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

} // namespace footrace::findings
