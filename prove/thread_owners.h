// Threads whose handles live in a std::vector<std::thread>. The destructor of std::thread ends the program if the thread
// was not joined, so a thread that is in the vector, and was neither detached nor moved elsewhere, has been joined when
// the destructor of the vector returns; however the loop looks that joined it. A loop that joins from begin to end has joined them all, too
// (vector_walk.h).
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
// Where the destructor of a std::thread or std::jthread, which stays a call too, finds the handle in its argument.
std::optional<std::uint64_t> handle_in_destroyed(llvm::StringRef name);

class ThreadOwners {
public:
  explicit ThreadOwners(const PointsTo& pointers);

  // The one thread that a handle with these values stands for; nothing if it may be another, or if there may be several of its
  // kind.
  std::optional<Spawn> only_thread(const LocationSet& handles, const Executions& executions) const;
  // The fields at an offset behind the pointer, and what is kept there.
  LocationSet fields_behind(const LocationSet& pointer, std::uint64_t offset) const;
  LocationSet kept_at(const LocationSet& fields) const;
  // Neither detached nor moved to another place.
  bool stays_at(const LocationSet& handles, LocationId place) const;
  // Threads of these places have been joined when the call returns; empty if it is not such a destructor.
  std::vector<Spawn> joined_by(InstanceId instance, const llvm::CallBase& destructor,
                               const Executions& executions) const;
  // Places all of whose threads have their handles in this vector, unless they were joined.
  std::vector<Spawn> kept_in(InstanceId instance, const llvm::Value* vector,
                             const Executions& executions) const;

private:
  using Objects = std::set<ObjectId>;

  void find_detached();
  std::optional<LocationId> known_vector(InstanceId instance, const llvm::Value* vector,
                                         const Executions& executions) const;
  std::optional<Objects> buffers_of(LocationId vector) const;
  Objects pointees(const Objects& objects) const;
  bool is_held_only_by(ObjectId object, const Objects& holders) const;
  std::optional<Spawn> spawn_of(ObjectId thread) const;
  bool may_call_itself(InstanceId instance) const;

  const PointsTo& pointers_;
  std::map<ObjectId, Objects> holders_;    // objects that may hold a pointer to it, or a handle
  std::map<ObjectId, LocationSet> places_; // where the handle of a thread may be kept
  Objects detached_;
};

} // namespace footrace::prove
