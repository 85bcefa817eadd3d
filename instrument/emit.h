// Turns a function's plan into calls of the runtime.
#pragma once

#include "facts/summaries.h"
#include "instrument/callbacks.h"
#include "instrument/combined.h"
#include "instrument/in_line.h"
#include "instrument/options.h"
#include "instrument/same_epoch.h"
#include "instrument/sites.h"
#include "placement/plan.h"

#include "llvm/ADT/SmallPtrSet.h"

namespace footrace {

// Turns invokes of libatomic, which does not throw, into calls: the end of the bracket must follow. Before
// planning, because it changes the control flow. True if it did.
bool make_library_atomics_fall_through(llvm::Function& function);

class Emitter {
public:
  Emitter(llvm::Function& function, Callbacks& callbacks, SiteTable& sites, const PassOptions& options,
          GetAnalyses get_analyses, const InLineLimits& limits);

  // Early phase: the checks that stand for several accesses, as calls; their accesses are marked (placement/marks.h). True if there
  // are any.
  bool emit_early(const Plan& plan);
  // Late phase: everything. True if the plan put anything into the function.
  bool emit(const Plan& plan);
  // Checks of the plan whose accesses are checked themselves instead: what they need cannot be computed at their place.
  size_t not_computable() const { return not_computable_; }

private:
  // The accesses of one instruction: [first, last) of the plan.
  struct Group {
    unsigned first, last;
  };
  enum class Form : uint8_t {
    Call,
    InlineTest,
    LoopTest
  }; // LoopTest: of reads, also whether the readers are known
  static void for_each_group(const Plan& plan, llvm::function_ref<void(Group)> visit);

  // Where the code is likely hot enough for the same-epoch test in line; before blocks are split.
  void choose_forms(const Plan& plan, llvm::ArrayRef<ReadyCheck> ready);
  Form form_at(const llvm::Instruction& inst) const;

  // -- checks that stand for several accesses
  std::vector<ReadyCheck> prepare(const Plan& plan);
  void emit_combined(const Plan& plan, const ReadyCheck& ready, Form form);
  llvm::Constant* combined_site(const Plan& plan, const ReadyCheck& ready, uint64_t size);

  void note_proxied(llvm::IRBuilderBase& at, const PlannedCheck& check, llvm::Constant* record);

  // -- checks of single accesses
  bool is_checked_here(const Plan& plan, unsigned access) const;
  bool emit_group(const Plan& plan, Group group);
  bool replace_memory_intrinsic(const Plan& plan, Group group);
  void note_accesses(const Plan& plan, Group group);
  void emit_plain(llvm::IRBuilderBase& at, const Access& access, llvm::Value* enabled = nullptr);
  void emit_fixed(llvm::IRBuilderBase& at, AccessKind kind, const CheckedBytes& bytes, llvm::Constant* site,
                  Form form);
  void emit_range(llvm::IRBuilderBase& at, const Access& access, llvm::Value* address, llvm::Value* length);
  void emit_masked(llvm::IRBuilderBase& at, const Access& access);
  void emit_scattered(llvm::IRBuilderBase& at, const Access& access);
  void emit_atomic(llvm::Instruction& inst, const Access& access);
  bool emit_atomic_load(llvm::Instruction& inst, const Access& access);
  void replace_loads();
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
  GetAnalyses get_analyses_; // what the plan's expressions belong to
  const PassOptions& options_;
  InLineLimits limits_;
  bool may_inline_;
  bool all_in_line_ = false;
  llvm::SmallPtrSet<const llvm::Instruction*, 32>
      in_loop_; // checks before these test in line, all_in_line_ or not
  std::vector<std::pair<llvm::LoadInst*, llvm::Value*>> loads_; // with the value that the runtime has loaded
  std::vector<bool> uncovered_; // accesses whose combined check cannot be computed, by index
  size_t not_computable_ = 0;
  size_t readers_tests_ = 0; // emitted so far
  llvm::AllocaInst* address_buffer_ = nullptr;
  llvm::Instruction* current_ = nullptr; // whose accesses are being emitted
};

} // namespace footrace
