// What may run at the same time, and why we think so. The theorem takes any two calls on one object as concurrent; real
// programs have start-up code, helpers and objects that one thread owns, so a report also needs a reason to believe that
// the memory is meant to be shared.
#pragma once

#include "scan/domain/analysis.h"
#include "scan/il/il.h"

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace footrace::scan::domain {

bool is_main(const il::Method& method);

class Concurrency {
public:
  Concurrency(const il::Program& program, const Summaries& summaries);

  // Code outside of the program may call it at any time, on an object that it shares; or, of a constructor, with one.
  bool may_be_entered(const il::Method& method) const;
  // A function that a thread is started with, or that is given to something which runs it on a thread. Why; empty: it is
  // not.
  std::string why_own_thread(const il::Method& method) const;
  // Two entries that are started and waited for inside of different functions, or two of one function that are started in
  // different ones: these need not run together. Or inside of one that waits in between. Or tasks of one thread.
  bool must_be_apart(const il::Method& a, const il::Method& b) const;
  // What the thread consists of: the function that it is started with, and run() if that only calls run().
  std::vector<il::Name> loops_of(const il::Method& thread) const;
  // What a thread runs; of another method, that method.
  il::Name body_of(il::Name thread) const;
  const il::Method& body_of(const il::Method& thread) const { return *methods_.at(body_of(thread.name)); }
  const il::Method* find(il::Name name) const; // null: it is not part of the program
  // Several of this entry run at the same time, all with the object that `root` stands for in it.
  bool may_be_crowd(const il::Method& entry, const il::Root& root) const;
  // At this place of the method that starts the thread, the thread may be running.
  bool may_run_beside(const il::Method& thread, const il::Method& starter, const il::Location& at) const;
  // All calls in the program come from constructors, on a member of what is being made: nobody else knows it yet.
  bool must_be_part_of_making(const il::Method& method) const;
  // It was given to something that has threads of its own.
  bool is_task(const il::Method& entry) const;
  // A plain setter of a class whose threads are started by a method of it, not by its constructor: set up, then started.
  bool must_be_setting_up(const il::Method& setter, const il::Method& entry) const;
  bool must_be_configuring(const il::Method& setter) const; // of whatever threads the class has
  // It is where a chain of calls begins: its accesses are in nobody else's summary, or also called by somebody unseen.
  bool may_begin_calls(const il::Method& method) const;
  // Every call is made with a lock held, or before there are threads or after they have ended. What it does is in its
  // callers' summaries. In a library, without a main function: somebody other than its own class calls it.
  bool must_be_called_in_order(const il::Method& method) const;
  // A lock that is handed in as this formal is there for the object itself: no contract says that it is the caller's, and
  // no caller in the program passes one that belongs to another object.
  bool has_own_lock_in(const il::Method& method, unsigned formal) const;
  // Given to code that is not seen (an event loop), in a program whose main starts threads: they run when it is called.
  bool may_run_beside_threads_of_main(const il::Method& method) const {
    return main_starts_threads_ && given_away_.contains(method.name);
  }
  // What the method itself, or what it calls, holds when the access at this place is made, in the words of the method; null: nothing.
  const LockState* locks_at(il::Name method, const il::Location& at) const;
  // Nothing in the program calls it, starts it or gives it away: it is there for others to call.
  bool is_for_others(const il::Method& method) const;
  bool has_main() const { return has_main_; }
  // The program has its main function and names the entry of every thread: what no thread reaches is the main thread's.
  bool has_all_threads() const { return has_main_ && !has_unknown_thread_; }
  // A function that nobody calls, in such a program, reaches a place through one that the program does use: it is compared
  // where the program uses it (whole_program.cpp, as the next).
  bool must_be_seen_elsewhere(const il::Method& method, const CallChain& calls) const;
  // The thread, in such a program, lives only while the functions run that have it started and wait for it, and these calls of
  // `other` do not lead through one.
  // Of a thread that runs what was stored for it (task.run = f; start(&task)): one that is not stored by that function.
  bool must_have_ended(const il::Method& thread, const CallChain& thread_calls, const il::Method& other,
                       const CallChain& calls) const;
  // The lock stands for a first use (il::first_use_lock) that the main function makes, in such a program, before threads are started.
  bool is_used_by_main_first(const il::Path& lock) const { return used_first_.contains(lock); }
  // One is the other, or derives from it: `this` may be one object.
  bool may_be_same_object(il::Name a, il::Name b) const;
  // A lock that is a member of the object, and is taken somewhere only if that is shared: it does not say that it is.
  bool is_optional(il::Name of_class, const il::Path& lock) const;
  // A lock that is a member: of a class that derives from this one, its methods know nothing.
  bool may_know(il::Name of_class, const il::Path& lock) const;
  // The class, or one that it derives from, or one that derives from it, is made to be shared. Why; empty: it is not.
  std::string shared_by_contract(il::Name of_class) const;
  // The lock that a contract names for the field that the path starts with; none: no contract.
  const il::Guard* guard_of(il::Name of_class, const il::Path& path) const;

private:
  const Summaries& summaries_;
  struct Entry;
  void find_threads(const il::Program& program, const Summaries& summaries);
  void find_used(const il::Program& program);
  void find_lifetimes(const il::Program& program);
  void find_stores(const il::Program& program);
  void find_first_uses(const il::Program& program);
  bool must_run_another(il::Name starter, const CallChain& thread_calls) const;
  void find_called_in_order(const il::Program& program, const Summaries& summaries);
  void add(const il::Method& caller, const il::Call& call);
  // It passes this closure on.
  void add(const il::Method& caller, const il::Call& call, const il::Closure& closure,
           const Summaries& summaries);
  void add_entry(const il::Method& starter, const il::Call& call, const il::Location& at,
                 const Summaries& summaries);
  bool keeps_one(const il::Method& method) const; // of the functions that it is given
  il::Name pool_of(const il::Method& giver, const il::Method& to) const;
  bool must_be_one_queue(const Entry& a, const Entry& b) const;
  void find_crowds(const il::Program& program, const Summaries& summaries);
  bool waits_between(il::Name method, const il::Location& a, const il::Location& b) const;
  template <class Test> const il::Class* find_related(il::Name of_class, Test test) const;

  std::vector<const il::Class*> with_contract_; // thread-safe, or with guarded fields, or with optional locks
  std::unordered_map<il::Name, const il::Class*> classes_;
  std::unordered_map<std::string, il::Name>
      shown_classes_; // by the name that fields and methods have before their own
  bool has_main_ = false, has_unknown_thread_ = false, main_starts_threads_ = false;
  struct Entry {
    std::set<std::pair<il::Name, il::Location>> starters; // the method, and where in it
    il::Name through;         // what it was given to; empty: a thread is started with it
    std::set<il::Name> pools; // the classes of those that it was given to, or functions
    bool queued = true;  // only ever given to something that calls it later, on a thread that it has already
    bool awaited = true; // wherever it is started, its end is waited for before the starter returns
    // In a program with all its threads: the functions that start it, or have it started, and wait for threads; where in
    // them. Empty: somewhere it is not waited for, or it is a task.
    std::set<std::pair<il::Name, il::Location>> lifetimes;
    bool crowd = false;       // started again, by the same call of its starter, before its end was waited for
    bool crowd_later = false; // or by another one
  };
  std::unordered_map<il::Name, Entry> entries_;
  std::set<std::pair<il::Name, il::Name>> used_by_threads_; // a class with threads, and what these use
  std::unordered_set<il::Name>
      has_crowd_; // classes and functions that start one: a pool with several threads
  std::unordered_map<il::Name, std::vector<il::Location>> waits_; // where a method waits for others
  std::unordered_map<il::Name, const il::Method*> methods_;
  std::unordered_set<il::Name> starts_when_made_; // classes with a constructor that starts threads
  std::unordered_set<il::Name> starts_threads_;   // classes with a method that does, and functions
  std::unordered_set<il::Name> given_away_;       // somebody may call it, who is not seen
  std::unordered_set<il::Name> called_in_order_;  // always; methods, and slots
  std::map<std::pair<il::Name, unsigned>, std::set<il::Name>>
      keeps_;                                             // formals that are stored in these slots
  std::unordered_map<il::Name, std::set<il::Name>> kept_; // functions that were passed there
  std::map<il::Name, std::set<il::Name>> slots_of_;       // by function: where it is stored
  std::map<il::Name, std::set<il::Name>>
      stores_; // by method: functions that it stores somewhere or gives away
  std::set<il::Path> used_first_;
  std::unordered_set<il::Name> called_;
  std::unordered_set<il::Name> used_;               // by the program, from main or a thread on
  std::unordered_set<il::Name> called_by_others_;   // than methods of the same class
  std::unordered_set<il::Name> called_in_making_;   // by a constructor, on a member
  std::unordered_set<il::Name> called_afterwards_;  // by anything else
  std::set<std::pair<il::Name, unsigned>> foreign_; // formals that are given a part of another object
};

} // namespace footrace::scan::domain
