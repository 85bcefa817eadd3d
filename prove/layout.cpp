#include "prove/layout.h"

#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DerivedTypes.h"

#include <algorithm>
#include <numeric>

namespace footrace::prove {
namespace {

bool is_inside_element(const Range& inner, const Range& outer) {
  if (inner.begin < outer.begin) return false;
  std::uint64_t element_end = outer.begin + outer.stride;
  return inner.begin < element_end && inner.end <= element_end;
}

bool is_disjoint(const Range& a, const Range& b) { return a.end <= b.begin || b.end <= a.begin; }

Range merged(const Range& a, const Range& b) {
  std::uint64_t distance = std::max(a.begin, b.begin) - std::min(a.begin, b.begin);
  return {std::min(a.begin, b.begin), std::max(a.end, b.end),
          std::gcd(std::gcd(a.stride, b.stride), distance)};
}

void collect_arrays(llvm::Type* type, std::uint64_t offset, const llvm::DataLayout& data, Layout& layout) {
  if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
    std::uint64_t stride = data.getTypeAllocSize(array->getElementType());
    if (stride == 0) return;
    std::uint64_t count = array->getNumElements();
    layout.collapse({offset, count ? offset + count * stride : unbounded, stride});
    collect_arrays(array->getElementType(), offset, data, layout);
  } else if (auto* record = llvm::dyn_cast<llvm::StructType>(type)) {
    if (record->isOpaque()) return;
    for (unsigned i = 0; i < record->getNumElements(); i++)
      collect_arrays(record->getElementType(i), offset + data.getStructLayout(record)->getElementOffset(i),
                     data, layout);
  }
}

} // namespace

std::uint64_t Layout::canonical(std::uint64_t offset) const {
  for (const Range& range : ranges_)
    if (range.contains(offset)) offset = range.begin + (offset - range.begin) % range.stride;
  return offset;
}

bool Layout::collapse(Range range) {
  if (range.stride == 0) return false;
  for (const Range& outer : ranges_)
    if (outer.contains(range.begin)) {
      std::uint64_t moved = outer.begin + (range.begin - outer.begin) % outer.stride;
      std::uint64_t length = range.end == unbounded ? unbounded : range.end - range.begin;
      if (outer.stride <= range.stride && range.stride % outer.stride == 0 && range.end <= outer.end)
        return false;
      range = {moved, length == unbounded ? unbounded : moved + length, range.stride};
    }
  bool restart = true;
  while (restart) {
    restart = false;
    for (auto existing = ranges_.begin(); existing != ranges_.end(); ++existing) {
      if (is_disjoint(range, *existing) || is_inside_element(range, *existing) ||
          is_inside_element(*existing, range))
        continue;
      range = merged(range, *existing);
      ranges_.erase(existing);
      restart = true;
      break;
    }
  }
  auto position = std::find_if(ranges_.begin(), ranges_.end(),
                               [&](const Range& existing) { return is_inside_element(existing, range); });
  ranges_.insert(position, range);
  return true;
}

llvm::SmallVector<Range, 2> Layout::ranges_around(std::uint64_t offset) const {
  llvm::SmallVector<Range, 2> around;
  for (const Range& range : ranges_)
    if (range.contains(offset)) around.push_back(range);
  return around;
}

const Range* Layout::range_at(std::uint64_t offset) const {
  const Range* innermost = nullptr;
  for (const Range& range : ranges_)
    if (range.contains(offset)) innermost = &range;
  return innermost;
}

bool Layout::may_overlap(std::uint64_t a, std::uint64_t a_size, std::uint64_t b, std::uint64_t b_size) const {
  if (a == b) return true;
  auto overlap = [](std::uint64_t low, std::uint64_t size, std::uint64_t high) {
    return size == unbounded || high - low < size;
  };
  if (a < b ? overlap(a, a_size, b) : overlap(b, b_size, a)) return true;
  // An access that leaves its element continues in the next one, which is the same location.
  auto wraps = [&](std::uint64_t offset, std::uint64_t size) {
    for (const Range& range : ranges_)
      if (range.contains(offset) && (size > range.stride || offset + size > range.begin + range.stride))
        return true;
    return false;
  };
  return wraps(a, a_size) || wraps(b, b_size);
}

Layout collapsed_layout(llvm::Type* type, const llvm::DataLayout& data) {
  Layout layout;
  if (type && type->isSized()) collect_arrays(type, 0, data, layout);
  return layout;
}

std::optional<Range> array_at(llvm::Type* type, std::uint64_t offset, std::uint64_t stride,
                              const llvm::DataLayout& data) {
  std::uint64_t base = 0;
  std::optional<Range> found;
  while (type && type->isSized()) {
    if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
      std::uint64_t size = data.getTypeAllocSize(array->getElementType());
      if (size == 0) break;
      std::uint64_t count = array->getNumElements();
      if (size == stride) found = Range{base, count ? base + count * size : unbounded, size};
      base += (offset - base) / size * size;
      type = array->getElementType();
    } else if (auto* record = llvm::dyn_cast<llvm::StructType>(type)) {
      if (record->isOpaque() || record->getNumElements() == 0) break;
      const llvm::StructLayout* layout = data.getStructLayout(record);
      if (offset - base >= layout->getSizeInBytes() && layout->getSizeInBytes() != 0) break;
      unsigned field = layout->getElementContainingOffset(offset - base);
      base += layout->getElementOffset(field);
      type = record->getElementType(field);
    } else {
      break;
    }
  }
  return found;
}

bool is_pointer_at(llvm::Type* type, std::uint64_t offset, const llvm::DataLayout& data) {
  while (auto* record = llvm::dyn_cast<llvm::StructType>(type)) {
    if (!record->isSized() || record->getNumElements() == 0) return false;
    const llvm::StructLayout* layout = data.getStructLayout(record);
    if (offset >= layout->getSizeInBytes()) return false;
    unsigned field = layout->getElementContainingOffset(offset);
    offset -= layout->getElementOffset(field);
    type = record->getElementType(field);
  }
  return offset == 0 && type->isPointerTy();
}

} // namespace footrace::prove
