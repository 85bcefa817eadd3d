#include "scan/domain/call_chain.h"

#include <algorithm>

namespace footrace::scan::domain {

static std::size_t digest_of(const CallChain::Link& link) {
  std::size_t digest = mixed(std::hash<il::Name>()(link.call.callee), std::hash<const void*>()(link.next));
  digest = mixed(digest, std::hash<il::Name>()(link.call.at.file));
  return mixed(mixed(digest, link.call.at.line), link.call.at.column);
}

CallChain::CallChain(const std::vector<CallSite>& calls) {
  for (auto call = calls.rbegin(); call != calls.rend(); ++call) *this = after(*call);
}

CallChain CallChain::after(const CallSite& call) const {
  return CallChain(Interned<Link>(Link{call, first_, size() + 1}).operator->());
}

CallChain CallChain::rest() const { return CallChain(first_->next); }

const CallSite& CallChain::back() const {
  const Link* last = first_;
  while (last->next) last = last->next;
  return last->call;
}

std::strong_ordering operator<=>(CallChain a, CallChain b) {
  if (a == b) return std::strong_ordering::equal;
  return std::lexicographical_compare_three_way(a.begin(), a.end(), b.begin(), b.end());
}

} // namespace footrace::scan::domain
