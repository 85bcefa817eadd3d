// One value for each allocated block, for as long as nothing else is allocated there: what the first access of a byte must know of the allocation.
#pragma once

#include "base/types.h"

#include <map>

namespace footrace::detectors {

template <class Value> class Blocks {
public:
  // The block begins a new life; what is left of blocks that it covers in part stays.
  void set(u64 begin, u64 size, Value value) {
    const u64 end = begin + size;
    cut(begin);
    cut(end);
    blocks_.erase(blocks_.lower_bound(begin), blocks_.lower_bound(end));
    blocks_.emplace(begin, Block{end, std::move(value)});
  }
  // Null: not allocated while the trace was recorded.
  const Value* find(u64 address) const {
    auto block = blocks_.upper_bound(address);
    return block != blocks_.begin() && address < (--block)->second.end ? &block->second.value : nullptr;
  }
  u64 count() const { return blocks_.size(); }

private:
  struct Block {
    u64 end;
    Value value;
  };
  void cut(u64 at) {
    auto block = blocks_.lower_bound(at);
    if (block == blocks_.begin() || (--block)->second.end <= at) return;
    blocks_.emplace(at, Block{block->second.end, block->second.value});
    block->second.end = at;
  }
  std::map<u64, Block> blocks_; // by first address
};

} // namespace footrace::detectors
