// The same-epoch test of abi/shadow_layout.h, in line: one compare per cell decides whether the runtime need be called.
#pragma once

#include "facts/accesses.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/Support/Alignment.h"

namespace footrace {

// What is known about the bytes of a check while compiling.
struct CheckedBytes {
  llvm::Value* address = nullptr;
  uint64_t size = 0;
  llvm::Align alignment = {};
  std::optional<unsigned> place_in_cell = std::nullopt; // address modulo 8
};

// What the address itself tells; `alignment` is what is known besides.
CheckedBytes checked_bytes(llvm::Value* address, uint64_t size, llvm::Align alignment,
                           const llvm::Instruction& at);

// Whether the thread has not yet read (written) all of the bytes in its current epoch.
class SameEpochTest {
public:
  // Loads the words of the cells at `at`.
  SameEpochTest(llvm::IRBuilderBase& at, AccessKind kind, const CheckedBytes& bytes);

  // Not where it would take more than a few instructions: bytes whose place in their cells is not known, and more than four cells.
  bool is_possible() const { return !words_.empty(); }
  // Of bytes that may lie in two cells: the test is of the first one, and fails if they do.
  bool may_cross() const { return beyond_ != nullptr; }
  llvm::Value* has_other_epoch(llvm::IRBuilderBase& at) const;
  // Of reads: nor do the bytes have readers among which the thread is known to be.
  llvm::Value* has_unknown_readers(llvm::IRBuilderBase& at) const;

private:
  llvm::Value* is_other(llvm::IRBuilderBase& at, llvm::Value* expected) const;

  llvm::SmallVector<llvm::Value*, 4> words_, masks_; // a null mask: the whole cell
  llvm::Value* beyond_ = nullptr;                    // the bytes that lie in the next cell, as a mask of it
};

} // namespace footrace
