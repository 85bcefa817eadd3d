// What may run at the same time, and why we think so. The theorem takes any two calls on one object as concurrent; real
// programs have start-up code, helpers and objects that one thread owns, so a report also needs a reason to believe that
// the memory is meant to be shared.
#pragma once

#include "scan/domain/accesses.h"
#include "scan/il/il.h"

#include <set>
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
  // All calls in the program come from constructors, on a member of what is being made: nobody else knows it yet.
  bool must_be_part_of_making(const il::Method& method) const;
  // It is where a chain of calls begins: its accesses are in nobody else's summary.
  bool has_no_caller(const il::Method& method) const;
  // A lock that is handed in as this formal is there for the object itself: no contract says that it is the caller's, and
  // no caller in the program passes one that belongs to another object.
  bool has_own_lock_in(const il::Method& method, unsigned formal) const;
  // The program has its main function and names the entry of every thread: what no thread reaches is the main thread's.
  bool has_all_threads() const { return has_main_ && !has_unknown_thread_; }
  // One is the other, or derives from it: `this` may be one object.
  bool may_be_same_object(il::Name a, il::Name b) const;
  // The class, or one that it derives from, or one that derives from it, is made to be shared. Why; empty: it is not.
  std::string shared_by_contract(il::Name of_class) const;
  // The lock that a contract names for the field that the path starts with; none: no contract.
  const il::Guard* guard_of(il::Name of_class, const il::Path& path) const;

private:
  void find_threads(const il::Program& program);
  void add(const il::Method& caller, const il::Call& call);
  template <class Test> const il::Class* find_related(il::Name of_class, Test test) const;

  std::vector<const il::Class*> with_contract_; // thread-safe, or with guarded fields
  std::unordered_map<il::Name, const il::Class*> classes_;
  bool has_main_ = false, has_unknown_thread_ = false;
  std::unordered_set<il::Name> called_;
  std::unordered_set<il::Name> called_in_making_;   // by a constructor, on a member
  std::unordered_set<il::Name> called_afterwards_;  // by anything else
  std::set<std::pair<il::Name, unsigned>> foreign_; // formals that are given a part of another object
};

} // namespace footrace::scan::domain
