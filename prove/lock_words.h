// Locks that the program makes itself: words that a thread takes by an atomic exchange that finds zero, and gives back by storing zero (spin locks,
// std::atomic_flag, compare-and-swap), and semaphores that begin with one. Paper 001 has only the locks of the language.
//
// A word is a lock if nothing else writes it: every write takes it (and acquires), gives it back (and releases) in a thread that holds it for
// certain, or makes it before anybody else knows it. Then it is zero only if no thread holds it, and at most one does.
#pragma once

#include "prove/escape.h"
#include "prove/threads.h"

namespace footrace::prove {

class Locks;

class LockWords {
public:
  LockWords(const PointsTo& pointers, const Accesses& accesses, const Threads& threads, const Escape& escape);

  // The lock, if the instruction or the edge certainly takes it, or may give it back; null if it does not.
  const llvm::Value* taken_along(InstanceId instance, const llvm::BasicBlock& from,
                                 const llvm::BasicBlock* to) const;
  const llvm::Value* taken_by(InstanceId instance, const llvm::CallBase& call) const;
  const llvm::Value* given_back_by(InstanceId instance, const llvm::Instruction& inst) const;

  // Whether the write comes before anybody else knows the object: it makes it.
  bool makes(const Access& access) const { return !escape_.may_be_published(access); }

  // Words that are given back where they may not be held are no locks. True if there were some: then what is held must be found again.
  bool drop_unheld(const Locks& locks);

private:
  struct Operation {
    InstanceId instance;
    const llvm::Instruction* inst;
    const llvm::Value* pointer;
  };

  void collect_words();
  void collect_semaphores();
  void examine(const Access& access);
  bool is_before_others(const Access& access) const;
  bool must_be_lock(InstanceId instance, const llvm::Value* pointer) const;
  bool may_be_lock(InstanceId instance, const llvm::Value* pointer) const;
  void drop(const LocationSet& locations) { words_.intersectWithComplement(locations); }

  const PointsTo& pointers_;
  const Accesses& accesses_;
  const Threads& threads_;
  const Escape& escape_;
  LocationSet words_;
  std::vector<Operation> given_back_;
};

} // namespace footrace::prove
