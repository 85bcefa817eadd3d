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

// True if the thread has read (written) all of the bytes in its current epoch. Null where that would take more than a few instructions:
// bytes whose place in their cells is not known, and more than four cells.
llvm::Value* seen_in_this_epoch(llvm::IRBuilderBase& at, AccessKind kind, const CheckedBytes& bytes);

} // namespace footrace
