// Digests of what Interned keeps: equal values have equal ones.
#pragma once

#include "scan/il/path.h"

#include <cstddef>
#include <map>
#include <set>

namespace footrace::scan::domain {

inline std::size_t mixed(std::size_t digest, std::size_t with) {
  return (digest ^ with) * 0x9e3779b97f4a7c15u + (digest >> 29);
}

std::size_t digest_of(const il::Path& path);
inline std::size_t digest_of(unsigned number) { return number; }

template <class T> std::size_t digest_of(const std::set<T>& all) {
  std::size_t digest = all.size();
  for (const T& element : all) digest = mixed(digest, digest_of(element));
  return digest;
}

template <class K> std::size_t digest_of(const std::map<K, unsigned>& counts) {
  std::size_t digest = counts.size();
  for (const auto& [key, count] : counts) digest = mixed(mixed(digest, digest_of(key)), count);
  return digest;
}

} // namespace footrace::scan::domain
