// RacerD's ownership domain (Blackshear et al., OOPSLA'18; RacerDX section 7.1): the alternative to W.
// A path is owned if only this method can reach it, owned if some formals are (their caller decides), or not owned.
// Ownership is deep: what lies behind an owned path is owned.
#pragma once

#include "scan/domain/substitution.h"
#include "scan/il/il.h"

#include <map>
#include <optional>
#include <set>

namespace footrace::scan::domain {

// Owned if all of `formals` are owned by the caller; `unowned` says that nothing can help.
struct Owned {
  bool unowned = false;
  std::set<unsigned> formals;
  bool operator==(const Owned&) const = default;
  auto operator<=>(const Owned&) const = default;

  bool must_be_owned() const { return !unowned && formals.empty(); }
};

inline Owned owned() { return {}; }
inline Owned not_owned() { return {true, {}}; }
inline Owned owned_if(unsigned formal) { return {false, {formal}}; }
// Owned only if both are.
Owned both(const Owned& a, const Owned& b);

std::size_t digest_of(const Owned& owned);

class Ownership {
public:
  // What the path itself leads to.
  Owned of(const il::Path& path) const;
  Owned of(const il::Value& value) const;
  // Who owns the memory that an access to `path` touches: the last object on the way to it.
  Owned of_access(const il::Path& path) const;
  void set(const il::Path& path, const Owned& value);
  bool operator==(const Ownership&) const = default;

  friend Ownership join(const Ownership& a, const Ownership& b);

private:
  std::map<il::Path, Owned> known_;
};

// Effect of every statement but calls.
void own(Ownership& ownership, const il::Statement& statement);
// What a callee needs to be owned, in terms of what its caller owns of the actuals.
std::vector<Owned> owners_of(const Substitution& actuals, const Ownership& caller);
Owned precondition(const Owned& callee, const std::vector<Owned>& owners);

} // namespace footrace::scan::domain
