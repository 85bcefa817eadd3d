// Figure 7, the call rule for A: the accesses of a callee, in the words of its caller.
#pragma once

#include "scan/domain/rules.h"

namespace footrace::scan::domain {

// All that becomes of them depends on this: of calls that agree on it, the first one stands for all.
struct CallContext {
  il::Name callee;
  std::vector<il::Value> actuals;
  std::vector<Owned> owners; // of the actuals
  Interned<LockState> locks; // held
  Order order = Order::Unknown;
  bool waited = false;
  Interned<Turn> turn; // what was received before and is sent after
  Window window;       // if options ask for it
  bool anew = false;   // il::Call
  auto operator<=>(const CallContext&) const = default;
};

class Composition {
public:
  // Borrowed while it lives.
  Composition(const CallContext& context, const Rules& rules, const Options& options)
      : context_(context), rules_(rules), options_(options) {}

  // Nothing: the caller cannot see it.
  std::optional<AccessKey> in_caller(const AccessKey& key);

private:
  template <class T, class U> using Known = std::unordered_map<Interned<T>, U, typename Interned<T>::Hash>;

  const std::optional<Interned<il::Path>>& path_in_caller(Interned<il::Path> path);
  Interned<LockState> locks_in_caller(Interned<LockState> locks);
  Interned<Turn> turn_in_caller(Interned<Turn> turn);
  Interned<Owned> owner_in_caller(const AccessKey& key, const il::Path& path) const;

  const CallContext& context_;
  const Rules& rules_;
  const Options& options_;
  // Many accesses have the same.
  Known<il::Path, std::optional<Interned<il::Path>>> paths_;
  Known<LockState, Interned<LockState>> locks_;
  Known<Turn, Interned<Turn>> turns_;
};

} // namespace footrace::scan::domain
