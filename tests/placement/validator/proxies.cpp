#include "tests/placement/validator/proxies.h"

#include <algorithm>

namespace footrace::validation {
namespace {

using Bytes = std::pair<u64, u64>;             // begin, size
using Claims = std::map<u64, std::set<Bytes>>; // by the address of the proxy

u64 proxy_of(const Event& proxied) { return proxied.elements.address + u64(proxied.elements.stride); }
Bytes bytes_of(const Event& event) { return {event.elements.address, event.elements.size}; }

// What the check at `index` says that it stands for.
Claims claims_of(const std::vector<Event>& events, size_t index) {
  Claims claims;
  for (size_t i = index + 1; i < events.size() && events[i].type == EventType::Proxied; i++)
    if (events[i].write == events[index].write) claims[proxy_of(events[i])].insert(bytes_of(events[i]));
  return claims;
}

bool touches(const Event& check, u64 byte) {
  const Elements& elements = check.elements;
  for (u64 i = 0; i < elements.count; i++)
    if (byte - (elements.address + i * u64(elements.stride)) < elements.size) return true;
  return false;
}

// The lowest byte of the check, and one behind its highest.
Bytes hull_of(const Event& check) {
  const Elements& elements = check.elements;
  const u64 last = elements.address + (elements.count - 1) * u64(elements.stride);
  return {std::min(elements.address, last), std::max(elements.address, last) + elements.size};
}

} // namespace

std::vector<BrokenProxy> find_broken_proxies(const std::vector<std::vector<Event>>& threads) {
  Claims all;
  for (const std::vector<Event>& events : threads)
    for (const Event& event : events)
      if (event.type == EventType::Proxied) all[proxy_of(event)].insert(bytes_of(event));
  std::vector<BrokenProxy> broken;
  for (size_t t = 0; t < threads.size(); t++)
    for (size_t i = 0; i < threads[t].size(); i++) {
      const Event& check = threads[t][i];
      if (check.type != EventType::Check) continue;
      const Claims claims = claims_of(threads[t], i);
      const auto [begin, end] = hull_of(check);
      for (auto at = all.lower_bound(begin); at != all.end() && at->first < end; ++at) {
        const auto& [proxy, bytes] = *at;
        if (!touches(check, proxy)) continue;
        const auto made = claims.find(proxy);
        for (const Bytes& part : bytes)
          if (made == claims.end() || !made->second.count(part)) {
            broken.push_back({t + 1, check, part.first});
            break;
          }
      }
    }
  return broken;
}

} // namespace footrace::validation
