// Turns a function's plan into calls of the runtime.
#pragma once

#include "instrument/callbacks.h"
#include "instrument/options.h"
#include "instrument/plan.h"
#include "instrument/sites.h"

namespace footrace {

// Turns invokes of libatomic, which does not throw, into calls: the end of the bracket must follow. Before
// planning, because it changes the control flow.
void make_library_atomics_fall_through(llvm::Function& function);

class Emitter {
public:
  Emitter(llvm::Function& function, Callbacks& callbacks, SiteTable& sites, const PassOptions& options);

  // True if the plan put anything into the function.
  bool emit(const Plan& plan);

private:
  using Group = llvm::ArrayRef<PlannedAccess>; // the accesses of one instruction

  bool emit_group(Group group);
  bool replace_memory_intrinsic(Group group);
  void emit_plain(llvm::IRBuilderBase& at, const Access& access, llvm::Value* enabled = nullptr);
  void emit_sized(llvm::IRBuilderBase& at, const Access& access, llvm::Value* address, Callback callback);
  llvm::Value* seen_in_this_epoch(llvm::IRBuilderBase& at, const Access& access, llvm::Value* address);
  void emit_range(llvm::IRBuilderBase& at, const Access& access, llvm::Value* address, llvm::Value* length);
  void emit_masked(llvm::IRBuilderBase& at, const Access& access);
  void emit_scattered(llvm::IRBuilderBase& at, const Access& access);
  void emit_atomic(llvm::Instruction& inst, const Access& access);
  llvm::Value* cas_success(llvm::IRBuilderBase& at, llvm::Instruction& inst);

  // The selection of the access as a vector of i1.
  llvm::Value* lane_bools(llvm::IRBuilderBase& at, const Lanes& lanes);
  // The same as bits of an i64, 64 lanes starting at `first`.
  llvm::Value* lane_bits(llvm::IRBuilderBase& at, llvm::Value* bools, unsigned first, unsigned count);
  llvm::Value* lane_addresses(llvm::IRBuilderBase& at, const Access& access);
  llvm::Constant* site(const Access& access, uint64_t size);
  llvm::AllocaInst* address_buffer();

  llvm::Function& function_;
  Callbacks& callbacks_;
  SiteTable& sites_;
  bool replace_memory_intrinsics_;
  bool inline_checks_;
  llvm::AllocaInst* address_buffer_ = nullptr;
  llvm::Instruction* current_ = nullptr; // whose accesses are being emitted
};

} // namespace footrace
