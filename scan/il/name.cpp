#include "scan/il/name.h"

#include <mutex>
#include <unordered_set>

namespace footrace::scan::il {

namespace {

// Node-based: the strings never move. Never destroyed: names may be used by other static objects.
const std::string* intern(std::string_view text) {
  struct Pool {
    std::mutex mutex;
    std::unordered_set<std::string> names;
  };
  static Pool& pool = *new Pool;
  std::lock_guard guard(pool.mutex);
  return &*pool.names.emplace(text).first;
}

} // namespace

Name::Name() {
  static const std::string* const none = intern("");
  text_ = none;
}

Name::Name(std::string_view text) : text_(intern(text)) {}

} // namespace footrace::scan::il
