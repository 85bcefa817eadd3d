#include "scan/domain/spawns.h"

#include <algorithm>

namespace footrace::scan::domain {

std::vector<std::size_t> before_spawns(const il::Method& method,
                                       const std::function<bool(const il::Statement&)>& may_spawn) {
  std::size_t count = method.blocks.size();
  std::vector<std::size_t> before(count, 0);
  std::vector<bool> reaches(count, false);
  for (std::size_t b = 0; b < count; ++b)
    for (std::size_t i = 0; i < method.blocks[b].statements.size(); ++i)
      if (may_spawn(method.blocks[b].statements[i])) {
        before[b] = i + 1;
        reaches[b] = true;
      }
  auto leads_on = [&](const il::Block& block) {
    return std::ranges::any_of(block.successors, [&](unsigned next) { return reaches[next]; });
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = 0; b < count; ++b) {
      if (!leads_on(method.blocks[b])) continue;
      changed |= !reaches[b];
      reaches[b] = true;
      before[b] = method.blocks[b].statements.size();
    }
  }
  return before;
}

} // namespace footrace::scan::domain
