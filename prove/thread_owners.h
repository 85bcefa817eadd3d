// Threads whose handles live in a std::vector<std::thread>. The destructor of std::thread ends the program if the thread
// was not joined, so a thread that is in the vector, and was neither detached nor moved elsewhere, has been joined when
// the destructor of the vector returns; however the loop looks that joined it.
#pragma once

#include "prove/executions.h"

#include <set>

namespace footrace::prove {

// A place where a thread starts.
struct Spawn {
  InstanceId creator;
  const llvm::CallBase* site;
  auto operator<=>(const Spawn&) const = default;
};

// The destructor of a vector of std::thread or std::jthread, which stays a call (prepare.h).
bool is_destructor_of_threads(llvm::StringRef name);

class ThreadOwners {
public:
  explicit ThreadOwners(const PointsTo& pointers);

  // Threads of these places have been joined when the call returns; empty if it is not such a destructor.
  std::vector<Spawn> joined_by(InstanceId instance, const llvm::CallBase& destructor) const;

private:
  using Objects = std::set<ObjectId>;

  void find_detached();
  std::optional<ObjectId> local_vector(InstanceId instance, const llvm::CallBase& destructor) const;
  Objects pointees(const Objects& objects) const;
  bool is_held_only_by(ObjectId object, const Objects& holders) const;
  std::optional<Spawn> spawn_of(ObjectId thread) const;
  bool may_call_itself(InstanceId instance) const;

  const PointsTo& pointers_;
  std::map<ObjectId, Objects> holders_; // objects that may hold a pointer to it, or a handle
  Objects detached_;
};

} // namespace footrace::prove
