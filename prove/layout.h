// Which bytes of an object are one abstract location. Fields are told apart by their offset; the elements of an
// array that is indexed by a variable are one element (the paper collapses every array; `collapsed_layout` does).
//
// Invariant: two ranges are disjoint, or one lies inside one element of the other and comes after it.
#pragma once

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <limits>
#include <optional>

namespace llvm {
class DataLayout;
class Type;
} // namespace llvm

namespace footrace::prove {

inline constexpr std::uint64_t unbounded = std::numeric_limits<std::uint64_t>::max();

// Bytes begin, begin + stride, begin + 2 * stride... below `end` are one location.
struct Range {
  std::uint64_t begin = 0, end = unbounded, stride = 1;
  bool contains(std::uint64_t offset) const { return begin <= offset && offset < end; }
};

class Layout {
public:
  // The offset that stands for all that are one location with it.
  std::uint64_t canonical(std::uint64_t offset) const;
  // False if the range changes nothing.
  bool collapse(Range range);
  // The ranges around a canonical offset, outer before inner.
  llvm::SmallVector<Range, 2> ranges_around(std::uint64_t offset) const;
  // The innermost range around a canonical offset.
  const Range* range_at(std::uint64_t offset) const;
  // Whether two accesses at canonical offsets may touch a common byte.
  bool may_overlap(std::uint64_t a, std::uint64_t a_size, std::uint64_t b, std::uint64_t b_size) const;

private:
  llvm::SmallVector<Range, 2> ranges_; // outer before inner
};

// Every array of the type is collapsed.
Layout collapsed_layout(llvm::Type* type, const llvm::DataLayout& data);
// The array around the offset of an object of this type, with elements of `stride` bytes.
std::optional<Range> array_at(llvm::Type* type, std::uint64_t offset, std::uint64_t stride,
                              const llvm::DataLayout& data);
// A member that is a pointer, and not an element of an array, is at the offset of an object of this type.
bool is_pointer_at(llvm::Type* type, std::uint64_t offset, const llvm::DataLayout& data);

} // namespace footrace::prove
