// Elements of arrays by their index: `a[i]` and `b[i]` of one activation are elements with one number, whatever the
// number is. So locks in one array can guard data in another.
#pragma once

#include "prove/addresses.h"

#include <optional>

namespace footrace::prove {

// The address is root + begin + stride * index. An address without a variable has no index, and any stride.
struct Element {
  const llvm::Value* root = nullptr;
  std::int64_t begin = 0;
  std::uint64_t stride = 0;
  const llvm::Value* index = nullptr; // before it was widened
  unsigned widening = 0;              // sign or zero extension; 0: none
};

// Nothing if it has several indices, or may leave its array and come back on the other side.
std::optional<Element> element_of(const Address& address, const llvm::DataLayout& data,
                                  const Equalities& equalities, InstanceId instance);

// Of one activation, and used at a place that both dominate, as a lock does that is held there for certain: neither
// can be older than the last value of the index.
bool must_have_same_index(const Element& a, const Element& b);
// If both data are the same element, so are both locks. The roots are taken to be the same on both sides.
bool must_correspond(const Element& a_data, const Element& a_lock, const Element& b_data,
                     const Element& b_lock, std::uint64_t size);

} // namespace footrace::prove
