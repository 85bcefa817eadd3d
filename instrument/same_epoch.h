// The same-epoch test of abi/shadow_layout.h, in line: it decides whether the runtime need be called.
//
// Of a check of several words, all are compared with the first one, and that with the thread's epoch or with a set of readers that the thread
// knows, so that objects which several threads read need no call either.
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
  // Loads the first word at `at`.
  SameEpochTest(llvm::IRBuilderBase& at, AccessKind kind, const CheckedBytes& bytes);

  // Not of more than four words: it would take more than a few instructions.
  bool is_possible() const { return first_ != nullptr; }
  llvm::Value* has_other_epoch(llvm::IRBuilderBase& at) const;
  // Of reads: nor do the bytes have readers among which the thread is known to be.
  llvm::Value* has_unknown_readers(llvm::IRBuilderBase& at) const;

private:
  // A word of one granule (i32), or of both granules of a cell (i64).
  struct Word {
    llvm::Value* address;
    llvm::IntegerType* type;
  };
  // `base`: of the words W or R of all cells.
  void find_words_of_cells(llvm::IRBuilderBase& at, uint64_t base, const CheckedBytes& bytes);
  void find_words_of_granules(llvm::IRBuilderBase& at, uint64_t base, const CheckedBytes& bytes);
  void add_word(llvm::IRBuilderBase& at, llvm::Value* offset, uint64_t base, llvm::IntegerType* type);
  llvm::Value* is_other(llvm::IRBuilderBase& at, llvm::Value* expected) const;

  llvm::SmallVector<Word, 4> words_; // the first one is a whole cell if any is
  llvm::Value* first_ = nullptr;     // its word
};

} // namespace footrace
