// What is an access: turns IR instructions into the bytes they read and write.
//
// An instruction may make several accesses (memcpy reads and writes; a struct with padding is one access per
// run of bytes without holes). What memory an instruction touches but we cannot describe is still an access:
// it carries the reason (`unmodelled`) instead of a size, so that it is counted and never silently dropped.
#pragma once

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>

namespace llvm {
class CallBase;
class DataLayout;
class Function;
class Instruction;
class IntrinsicInst;
class Value;
} // namespace llvm

namespace footrace {

enum class Reason : uint8_t {
#define FR_REASON(id, name) id,
#include "facts/reasons.def"
};
inline constexpr unsigned reason_count = 0
#define FR_REASON(id, name) +1
#include "facts/reasons.def"
    ;
const char* name_of(Reason reason);

enum class AccessKind : uint8_t { Read, Write, AtomicLoad, AtomicStore, AtomicRmw, AtomicCas, Fence };
inline constexpr unsigned access_kind_count = 7;
const char* name_of(AccessKind kind);

constexpr bool has_atomicity(AccessKind kind) { return kind >= AccessKind::AtomicLoad; }

enum class Extent : uint8_t {
  Fixed,      // `size` bytes at `address` + `offset`
  RunTime,    // `length` bytes at `address`
  Masked,     // lanes of `size` bytes, one after the other at `address`, those selected by the mask
  Compressed, // as many lanes of `size` bytes at `address` as the mask selects
  Scattered,  // lanes of `size` bytes, each at its own address
};

// How the bits of a mask operand select lanes.
enum class MaskForm : uint8_t {
  Bools,    // vector of i1
  SignBits, // the sign bit of each element of an integer or floating-point vector
  LowBits,  // bit i of an integer is lane i
};

struct Lanes {
  unsigned count = 0;
  MaskForm form = MaskForm::Bools;
  llvm::Value* mask = nullptr;   // null: all lanes
  llvm::Value* active = nullptr; // lanes below this number only (vector-predication intrinsics)
  // Scattered: lane i is at address[i] if `address` is a vector, else at address + index[i] * scale. A null
  // index means 0, 1, 2...
  llvm::Value* index = nullptr;
  llvm::Value* scale = nullptr;
};

// Whether the access happens whenever its instruction does.
enum class Condition : uint8_t {
  Always,
  CasFailed, // a library compare-exchange writes `expected` back only when it failed
};

struct Access {
  llvm::Instruction* inst = nullptr;
  AccessKind kind = AccessKind::Read;
  Extent extent = Extent::Fixed;
  Condition condition = Condition::Always;
  std::optional<Reason> unmodelled = std::nullopt; // set: only `inst`, `kind` and `address` mean anything
  llvm::Value* address = nullptr;                  // null for a fence
  uint64_t offset = 0;
  uint64_t size = 0;
  llvm::Value* length = nullptr;
  Lanes lanes = {};
  // Atomics and fences, in C's numbering (0 relaxed ... 5 seq_cst): integers of any width, constant or not.
  llvm::Value* order = nullptr;
  llvm::Value* failure_order = nullptr;
};

using AccessList = llvm::SmallVector<Access, 32>;

// All accesses of the function in the order of its instructions; the accesses of one instruction are
// adjacent.
AccessList collect_accesses(llvm::Function& function);

// Parts of collect_accesses. Each returns false if the call is not of its kind.
bool collect_library_atomic(llvm::CallBase& call, AccessList& out); // facts/library_atomics.cpp
bool collect_lane_intrinsic(llvm::IntrinsicInst& call, const llvm::DataLayout& layout,
                            AccessList& out); // facts/lane_intrinsics.cpp
bool collect_x86_intrinsic(llvm::IntrinsicInst& call, const llvm::DataLayout& layout,
                           AccessList& out); // facts/x86_intrinsics.cpp

} // namespace footrace
