// Whether two accesses that conflict are believed to happen at the same time, and why: what is known of the threads (concurrency.h), of the
// locks that are held elsewhere at the same memory, and of who else uses it.
#pragma once

#include "scan/domain/candidates.h"
#include "scan/domain/concurrency.h"
#include "scan/domain/doubts.h"

#include <map>
#include <set>
#include <string>

namespace footrace::scan::domain {

// What is meant to be protected by one lock: the global, or the first field.
il::Name group_key(const il::Path& path);

// Why they are believed to happen at the same time; or, if that is empty, why they are not.
struct Opinion {
  Opinion(std::string reason) : why(std::move(reason)) {}
  Opinion(Doubt reason) : doubt(reason) {}

  std::string why;
  Doubt doubt = Doubt::NoReason;
};

class Belief {
public:
  explicit Belief(const Concurrency& concurrency) : concurrency_(concurrency) {}

  // All accesses are noted before the first question. `counts_locks`: no caller has it too.
  void note(const Candidate& candidate, bool counts_locks);
  Opinion opinion(const Candidate& a, const Candidate& b) const;
  static bool may_take_turns(const Side& x, const Side& y);
  static bool must_be_alone(const Side& side);
  bool must_be_made_before(const Side& side) const; // there are threads

private:
  Opinion of_object(const Candidate& a, const Candidate& b) const;
  Opinion of_global(const Side& x, const Side& y) const;
  Opinion of_threads(const Side& x, const Side& y) const;

  bool is_evidence(const Side& side, const LockKey& key) const;
  bool has_own_lock(const Side& side, const Side& other) const;
  bool has_global_lock(const Side& side) const;
  bool has_lock_of_object(const Candidate& candidate) const;
  bool has_lock_of_derived(const Side& locked, const Side& other) const;
  bool is_of_other_object(const Side& side, const il::Path& lock) const;
  const il::Method* common_maker(const Side& weak, const Side& locked) const;
  bool has_other_users(il::Name of_class, const LockState& locks) const;
  bool happens_to_be_locked(const Side& x, const Side& y) const;

  bool must_be_one_loop(const Side& thread, const Side& other) const;
  bool must_be_loop_of(const Side& thread, const Side& other) const;
  bool must_be_one_run(const Side& x, const Side& y) const;
  bool must_be_configuring(const Side& side) const;
  bool must_have_ended(const Side& thread, const Side& other) const;

  const Concurrency& concurrency_;
  std::map<std::pair<il::Name, il::Path>, std::set<const il::Method*>> lock_users_; // by class and lock
  std::set<std::pair<const il::Method*, il::Path>> writes_;                         // without a lock
  std::map<std::pair<il::Name, il::Path>, std::set<const il::Method*>> writers_;    // by class and path
  struct Users {
    std::set<const il::Method*> with_lock, without;
  };
  std::map<std::pair<il::Name, std::vector<il::Step>>, Users> given_; // by class and place in its objects
  std::set<std::pair<il::Name, il::Path>> made_once_;                 // by group_key
};

} // namespace footrace::scan::domain
