// What may run at the same time, and why we think so. The theorem takes any two calls on one object as concurrent; real
// programs have start-up code, helpers and objects that one thread owns, so a report also needs a reason to believe that
// the memory is meant to be shared.
#pragma once

#include "scan/domain/accesses.h"
#include "scan/il/il.h"

#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace footrace::scan::domain {

class Concurrency {
public:
  explicit Concurrency(const il::Program& program);

  // Code outside of the program may call it at any time, on an object that it shares.
  bool may_be_entered(const il::Method& method) const;
  // It is where a chain of calls begins: its accesses are in nobody else's summary.
  bool has_no_caller(const il::Method& method) const;
  // One is the other, or derives from it: `this` may be one object.
  bool may_be_same_object(il::Name a, il::Name b) const;
  // The class, or one that it derives from, or one that derives from it, is made to be shared. Why; empty: it is not.
  std::string shared_by_contract(il::Name of_class) const;
  // The lock that a contract names for the field that the path starts with; none: no contract.
  const il::Guard* guard_of(il::Name of_class, const il::Path& path) const;

private:
  template <class Test> const il::Class* find_related(il::Name of_class, Test test) const;

  std::vector<const il::Class*> with_contract_; // thread-safe, or with guarded fields
  std::unordered_map<il::Name, const il::Class*> classes_;
  std::unordered_set<il::Name> called_;
};

} // namespace footrace::scan::domain
