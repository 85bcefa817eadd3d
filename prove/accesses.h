// The accesses of the program: what each instruction reads and writes, in every instance of its function.
#pragma once

#include "prove/pointsto.h"

namespace footrace::prove {

using AccessId = std::uint32_t;

// Allocation: the memory is as good as written by whoever got it; nothing that is known about other memory changes.
enum class AccessKind : std::uint8_t { Read, Write, Allocation, Free };

struct Access {
  InstanceId instance;
  const llvm::Instruction* inst;
  const llvm::Value* pointer;
  std::uint64_t size; // unbounded: up to the end of the object
  AccessKind kind;
  bool is_atomic;
  bool is_relaxed = false; // atomic, but orders nothing

  bool may_write() const { return kind != AccessKind::Read; }
};

// e of the six-tuple: an access of an instruction, without contexts.
struct Expression {
  const llvm::Instruction* inst;
  const llvm::Value* pointer;
  bool may_write;
  auto operator<=>(const Expression&) const = default;
};
inline Expression expression_of(const Access& access) {
  return {access.inst, access.pointer, access.may_write()};
}

class Accesses {
public:
  explicit Accesses(const PointsTo& pointers);

  llvm::ArrayRef<Access> all() const { return all_; }
  const Access& operator[](AccessId id) const { return all_[id]; }
  const LocationSet& locations(AccessId id) const;
  const LocationSet& locations(const Access& access) const;
  // Whether both may touch a common byte that can be written.
  bool may_alias(const Access& a, const Access& b) const;
  // Whether it may touch the `size` bytes at a location.
  bool may_touch(const Access& access, LocationId location, std::uint64_t size) const;
  // Accesses of every function that has a body, reached or not: the original stage counts them.
  std::uint64_t unreached() const { return unreached_; }

private:
  bool must_be_apart(const Access& a, const Access& b) const;
  bool have_common_location(const Access& a, const Access& b) const;

  const PointsTo& pointers_;
  std::vector<Access> all_;
  LocationSet constants_;
  std::map<std::pair<InstanceId, const llvm::Instruction*>, LocationSet> freed_; // of frees
  std::uint64_t unreached_ = 0;
};

} // namespace footrace::prove
