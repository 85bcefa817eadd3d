// Threads that are given a number, each another one, and use it as an index: accesses to elements with different numbers
// are apart. The number is the thread's argument itself, or was copied from a counter to a field of it, as what a closure
// captures is:
//
//   for (int i = 0; i < n; i++) threads.emplace_back([&out, i] { out[i] = f(i); });
#pragma once

#include "prove/callers.h"
#include "prove/copied_values.h"
#include "prove/threads.h"

namespace footrace::prove {

class ThreadNumbers {
public:
  ThreadNumbers(const PointsTo& pointers, const Accesses& accesses, const Executions& executions,
                const Threads& threads)
      : pointers_(pointers), executions_(executions), threads_(threads), accesses_(accesses),
        copied_(pointers, accesses), callers_(pointers) {}

  bool must_be_apart(const Access& a, const Access& b) const;

private:
  // Where an array begins: equal ones are one address, in all threads that run at the same time.
  struct Base {
    const llvm::Value* value =
        nullptr; // a global variable, or what the instance, which runs once, computes once
    InstanceId instance = 0;
    std::optional<LocationId> field; // that holds the address, and that nobody writes meanwhile
    auto operator<=>(const Base&) const = default;
  };
  // base + stride * number + offset
  struct Element {
    Base base;
    std::uint64_t stride;
    std::int64_t offset;
    std::optional<LocationId> number; // the field that it was read from; nothing: the thread's argument
  };
  // A call that leads to the creation of a thread, or the creation itself.
  struct Site {
    InstanceId instance;
    const llvm::CallBase* call;
    bool operator==(const Site&) const = default;
  };

  std::optional<Element> element_of(const Access& access) const;
  std::optional<Base> base_of(InstanceId instance, const llvm::Value* pointer) const;
  bool is_written_meanwhile(LocationId field, InstanceId instance, const llvm::LoadInst& load) const;
  // The value without casts, where a caller computes it if the function is passed it; null if casts lose too much.
  std::pair<InstanceId, const llvm::Value*> number_of(InstanceId instance, const llvm::Value* value) const;
  bool is_argument(InstanceId instance, const llvm::Value* value) const;
  bool gets_own_number(OriginId origin) const;
  bool get_own_numbers(OriginId a, LocationId a_number, OriginId b, LocationId b_number) const;
  std::optional<std::vector<Site>> creation_below(OriginId thread, InstanceId instance) const;
  bool is_copied_anew(const Copying& copying, const std::vector<Site>& creation, OriginId thread) const;
  bool is_counter(const llvm::Value* value, const llvm::Instruction* where) const;

  const PointsTo& pointers_;
  const Executions& executions_;
  const Threads& threads_;
  const Accesses& accesses_;
  CopiedValues copied_;
  Callers callers_;
  mutable std::map<OriginId, bool> own_; // what gets_own_number said
};

} // namespace footrace::prove
