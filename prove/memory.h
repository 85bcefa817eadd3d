// Abstract objects and their locations. An object is an allocation site in a context (heap cloning); a location is a
// canonical offset in an object. When an object's layout gets coarser, its locations are merged; ids of merged
// locations stay valid and `find` maps them to the one that remains.
#pragma once

#include "prove/contexts.h"
#include "prove/layout.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <functional>
#include <map>
#include <vector>

namespace llvm {
class Value;
}

namespace footrace::prove {

using NodeId = std::uint32_t;
using ObjectId = std::uint32_t;
using LocationId = std::uint32_t;

enum class ObjectKind : std::uint8_t {
  Global,
  Pool,     // all that pointers with too many targets point to
  Constant, // all constants without addresses in them, which nobody can write
  ThreadLocal,
  Stack,
  Heap,
  Function,
  AnyFunction, // any function whose address is taken
  Library,
  Traffic, // bytes on their way through files, pipes and sockets
  Varargs,
  Specific,
  Verifier,
  Thread // what a handle stands for; the site is the call that creates the thread
};

inline bool is_function(ObjectKind kind) {
  return kind == ObjectKind::Function || kind == ObjectKind::AnyFunction;
}

struct Object {
  ObjectKind kind;
  const llvm::Value* site; // null for Constant, Specific and Verifier, and for unknown code
  ContextId context;
  llvm::Type* type;   // null: unknown
  std::uint64_t size; // unbounded: unknown
  Layout layout;
  std::map<std::uint64_t, LocationId> fields; // none if it is in the pool
  bool is_pooled = false;
};

// Not code, nor a constant.
bool may_be_written(const Object& object);

struct Location {
  ObjectId object;
  std::uint64_t offset;
  NodeId content;
};

// One step of address arithmetic: `offset` bytes, or any multiple of `stride` within `extent` bytes (0: no bound).
struct Step {
  std::int64_t offset = 0;
  std::uint64_t stride = 0;
  std::uint64_t extent = 0;
  bool stays_in_member = false; // does not leave a pointer that is no element of an array
  auto operator<=>(const Step&) const = default;
};
using Shift = llvm::SmallVector<Step, 2>;
struct ShiftLess {
  bool operator()(const Shift& a, const Shift& b) const {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end());
  }
};

// What memory needs from the constraint graph.
struct NodeHooks {
  std::function<NodeId()> create;
  std::function<void(NodeId, NodeId)> merge;
  std::function<void(LocationId)> created;          // a location is new
  std::function<void(ObjectId, LocationId)> pooled; // the object is now this location
};

class Memory {
public:
  Memory(const llvm::DataLayout& data, bool collapse_arrays, NodeHooks hooks)
      : data_(data), collapse_arrays_(collapse_arrays), hooks_(std::move(hooks)) {}

  // The object of this site and context; `is_new` says whether it was just made.
  ObjectId object(ObjectKind kind, const llvm::Value* site, ContextId context, llvm::Type* type,
                  std::uint64_t size, bool* is_new = nullptr);
  LocationId location(ObjectId object, std::uint64_t offset);
  LocationId shifted(LocationId from, const Shift& shift);

  LocationId any_function();
  // Makes the object one with all others in the pool.
  void pool(ObjectId object);
  // Grows when locations are merged.
  std::uint64_t merged_count() const { return merged_count_; }

  LocationId find(LocationId id) const;
  const Object& operator[](ObjectId id) const { return objects_[id]; }
  const Location& at(LocationId id) const { return locations_[find(id)]; }
  ObjectId object_of(LocationId id) const { return at(id).object; }
  std::size_t object_count() const { return objects_.size(); }
  std::size_t location_count() const { return locations_.size(); }

private:
  std::uint64_t stepped(ObjectId object, std::uint64_t offset, const Step& step);
  std::uint64_t moved_by_index(ObjectId object, std::uint64_t offset, const Step& step);
  void collapse(ObjectId object, Range range);
  void merge(LocationId gone, LocationId kept);
  LocationId pool_location();
  void collapse_all(ObjectId object) { collapse(object, {0, unbounded, 1}); }

  const llvm::DataLayout& data_;
  bool collapse_arrays_;
  NodeHooks hooks_;
  std::vector<Object> objects_;
  std::vector<Location> locations_;
  mutable std::vector<LocationId> merged_into_;
  std::uint64_t merged_count_ = 0;
  std::map<std::pair<const llvm::Value*, std::pair<ContextId, ObjectKind>>, ObjectId> ids_;
};

} // namespace footrace::prove
