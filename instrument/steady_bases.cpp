#include "instrument/steady_bases.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/LoopIterator.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"
#include "llvm/Transforms/Utils/LoopUtils.h"
#include "llvm/Transforms/Utils/ScalarEvolutionExpander.h"

using namespace llvm;

namespace footrace {
namespace {

constexpr unsigned kMostInstructions = 400; // of a loop that is copied
constexpr unsigned kMostQuestions = 12;     // pairs of a store and an address
constexpr int64_t kLargestStep = 4096; // with fewer than 2^kIterationBits iterations no range wraps around
constexpr unsigned kIterationBits = 40;

struct Analyses {
  LoopInfo& loops;
  DominatorTree& dominators;
  ScalarEvolution& evolution;
  AAResults& aliases;
  AssumptionCache& assumptions;
};

// What the loop would write with one of its stores if the bases were what they are before it: bytes from `low` up to `high`.
struct Written {
  const SCEV *low, *high;
};

// The address of an array, loaded in every iteration from the same place: one that does not change in the loop, or one at an offset from another base.
struct Base {
  Value* place;    // null: at `offset` from the base before
  unsigned before; // in the list of bases
  int64_t offset;
  SmallVector<LoadInst*> loads;
  size_t stores_before;         // of the iteration, the first of the loads
  Value* early_place = nullptr; // before the loop
  LoadInst* early = nullptr;
};

class SteadyLoop {
public:
  SteadyLoop(Loop& loop, const Analyses& analyses) : loop_(loop), a_(analyses) {}

  // Whether the loop has addresses that only its own stores keep in it.
  bool find();
  // Adds blocks, phis and freezes, no more than that.
  bool bring_into_shape();
  // Changes the function; false: the ranges cannot be computed, and nothing has changed.
  bool make();

private:
  bool collect();
  const Base* base_of(const Value* load) const;
  void add_base(LoadInst& load, size_t stores_before);
  bool is_of_loop_and_bases(const SCEV* address) const;
  AliasResult meets_a_base(const StoreInst& store) const;
  bool has_base(const Value* address) const;
  void hide_quotients();
  void load_early(Instruction* before);
  void drop_early();
  bool compute(Instruction* before);
  std::optional<Written> range_of(const StoreInst& store, const SCEV* iterations);
  Value* is_apart(SCEVExpander& expander, IRBuilder<>& builder, const Written& written, Value* place) const;
  void copy_loop(Value* is_steady);

  Loop& loop_;
  Analyses a_;
  SmallVector<Base> bases_;
  SmallVector<StoreInst*> stores_;            // that may change one
  DenseMap<const Value*, const SCEV*> early_; // what is loaded before the loop, by the loads in it
  SmallVector<Written> ranges_;
};

const Base* SteadyLoop::base_of(const Value* load) const {
  const auto* known = find_if(bases_, [&](const Base& base) { return is_contained(base.loads, load); });
  return known == bases_.end() ? nullptr : known;
}

void SteadyLoop::add_base(LoadInst& load, size_t stores_before) {
  if (!load.isSimple() || !load.getType()->isPointerTy() || load.getPointerAddressSpace() != 0 ||
      !a_.dominators.dominates(load.getParent(), loop_.getLoopLatch()))
    return;
  Base base{.place = load.getPointerOperand(),
            .before = 0,
            .offset = 0,
            .loads = {},
            .stores_before = stores_before};
  if (!loop_.isLoopInvariant(base.place)) {
    APInt offset(load.getDataLayout().getIndexTypeSizeInBits(base.place->getType()), 0);
    const Base* before = base_of(base.place->stripAndAccumulateConstantOffsets(load.getDataLayout(), offset,
                                                                               /*AllowNonInbounds=*/true));
    if (before == nullptr) return;
    base = {.place = nullptr,
            .before = unsigned(before - bases_.begin()),
            .offset = offset.getSExtValue(),
            .loads = {},
            .stores_before = stores_before};
  }
  auto* known = find_if(bases_, [&](const Base& other) {
    return other.place == base.place && other.before == base.before && other.offset == base.offset;
  });
  if (known == bases_.end()) known = &bases_.emplace_back(base);
  known->loads.push_back(&load);
}

// An access that is a step of the loop away from a base.
bool SteadyLoop::has_base(const Value* address) const {
  return SCEVExprContains(a_.evolution.getSCEV(const_cast<Value*>(address)), [&](const SCEV* part) {
    const auto* unknown = dyn_cast<SCEVUnknown>(part);
    return unknown != nullptr && base_of(unknown->getValue()) != nullptr;
  });
}

AliasResult SteadyLoop::meets_a_base(const StoreInst& store) const {
  AliasResult worst = AliasResult::NoAlias;
  for (const Base& base : bases_)
    for (const LoadInst* load : base.loads) { // their types may differ
      const AliasResult result = a_.aliases.alias(MemoryLocation::get(&store), MemoryLocation::get(load));
      if (result == AliasResult::MustAlias || result == AliasResult::PartialAlias) return result;
      if (result != AliasResult::NoAlias) worst = result;
    }
  return worst;
}

bool SteadyLoop::collect() {
  unsigned instructions = 0;
  bool has_use = false;
  SmallVector<StoreInst*> stores;
  LoopBlocksRPO order(&loop_);
  order.perform(&a_.loops);
  for (BasicBlock* block : order)
    for (Instruction& instruction : *block) {
      if (isa<DbgInfoIntrinsic>(instruction)) continue;
      if (++instructions > kMostInstructions) return false;
      if (const Value* address = getLoadStorePointerOperand(&instruction);
          address != nullptr && !has_use && !bases_.empty())
        has_use = has_base(address);
      if (auto* load = dyn_cast<LoadInst>(&instruction)) {
        if (!load->isUnordered()) return false;
        add_base(*load, stores.size());
      } else if (auto* store = dyn_cast<StoreInst>(&instruction)) {
        if (!store->isSimple()) return false;
        stores.push_back(store);
      } else if (instruction.mayWriteToMemory() || instruction.mayThrow() || !instruction.willReturn()) {
        return false;
      }
    }
  for (size_t i = 0; i < stores.size(); ++i) {
    const AliasResult result = meets_a_base(*stores[i]);
    if (result == AliasResult::NoAlias) continue;
    if (result != AliasResult::MayAlias) return false; // it does change one
    // What lies behind a base that the first iteration may have changed is not the loop's to read.
    if (any_of(bases_, [&](const Base& base) { return base.place == nullptr && i < base.stores_before; }))
      return false;
    stores_.push_back(stores[i]);
  }
  return has_use && !stores_.empty() && bases_.size() * stores_.size() <= kMostQuestions;
}

// Steps of the loop, bases, and what does not change in it.
bool SteadyLoop::is_of_loop_and_bases(const SCEV* address) const {
  return !SCEVExprContains(address, [&](const SCEV* part) {
    if (const auto* steps = dyn_cast<SCEVAddRecExpr>(part))
      return steps->getLoop() != &loop_ && loop_.contains(steps->getLoop());
    const auto* unknown = dyn_cast<SCEVUnknown>(part);
    return unknown != nullptr && !loop_.isLoopInvariant(unknown->getValue()) &&
           base_of(unknown->getValue()) == nullptr;
  });
}

bool SteadyLoop::find() {
  if (loop_.getLoopLatch() == nullptr || loop_.getExitingBlock() != loop_.getLoopLatch() ||
      !loop_.isSafeToClone())
    return false;
  const SCEV* iterations = a_.evolution.getBackedgeTakenCount(&loop_);
  if (isa<SCEVCouldNotCompute>(iterations) || a_.evolution.getTypeSizeInBits(iterations->getType()) > 64 ||
      !collect())
    return false;
  return all_of(stores_, [&](const StoreInst* store) {
    return is_of_loop_and_bases(a_.evolution.getSCEV(const_cast<Value*>(store->getPointerOperand())));
  });
}

// A quotient cannot be computed a second time, since the divisor may be zero where nobody divides; the value that is there can be used. Analyses see through
// a value, but not through its freeze.
void SteadyLoop::hide_quotients() {
  SCEVExpander expander(a_.evolution, "footrace");
  IRBuilder<> builder(loop_.getLoopPreheader()->getTerminator());
  DenseMap<Value*, Value*> hidden;
  for (BasicBlock* block : loop_.blocks())
    for (Instruction& instruction : *block)
      for (Use& use : instruction.operands()) {
        const auto* value = dyn_cast<Instruction>(use.get());
        if (value == nullptr || loop_.contains(value) || !a_.evolution.isSCEVable(value->getType()) ||
            expander.isSafeToExpand(a_.evolution.getSCEV(use.get())))
          continue;
        Value*& copy = hidden[use.get()];
        if (copy == nullptr) copy = builder.CreateFreeze(use.get());
        use.set(copy);
      }
  if (!hidden.empty()) a_.evolution.forgetLoop(&loop_);
}

bool SteadyLoop::bring_into_shape() {
  simplifyLoop(&loop_, &a_.dominators, &a_.loops, &a_.evolution, &a_.assumptions, nullptr,
               /*PreserveLCSSA=*/false);
  formLCSSARecursively(loop_, a_.dominators, &a_.loops, &a_.evolution);
  if (!loop_.isLoopSimplifyForm() || !loop_.isRotatedForm() || loop_.getExitBlock() == nullptr) return false;
  hide_quotients();
  return true;
}

void SteadyLoop::load_early(Instruction* before) {
  IRBuilder<> builder(before);
  for (Base& base : bases_) {
    const LoadInst& first = *base.loads.front();
    builder.SetCurrentDebugLocation(first.getDebugLoc());
    base.early_place = base.place != nullptr ? base.place
                                             : builder.CreatePtrAdd(bases_[base.before].early,
                                                                    builder.getInt64(uint64_t(base.offset)));
    base.early = builder.CreateAlignedLoad(first.getType(), base.early_place, first.getAlign());
    base.early->setAAMetadata(first.getAAMetadata());
    for (LoadInst* load : base.loads) early_[load] = a_.evolution.getSCEV(base.early);
  }
}

void SteadyLoop::drop_early() {
  const auto drop = [&](Value* value) {
    auto* unused = cast<Instruction>(value);
    a_.evolution.forgetValue(unused);
    unused->eraseFromParent();
  };
  // A place is computed from the base before, which goes after it.
  for (Base& base : reverse(bases_)) {
    const bool has_own_place = base.place == nullptr && base.early_place != bases_[base.before].early;
    drop(base.early);
    if (has_own_place) drop(base.early_place);
  }
}

std::optional<Written> SteadyLoop::range_of(const StoreInst& store, const SCEV* iterations) {
  ScalarEvolution& evolution = a_.evolution;
  const SCEV* address = SCEVParameterRewriter::rewrite(
      evolution.getSCEV(const_cast<Value*>(store.getPointerOperand())), evolution, early_);
  const TypeSize bytes = store.getDataLayout().getTypeStoreSize(store.getValueOperand()->getType());
  if (bytes.isScalable()) return std::nullopt;
  Type* word = evolution.getEffectiveSCEVType(address->getType());
  const SCEV* size = evolution.getConstant(word, bytes.getFixedValue());
  if (evolution.isLoopInvariant(address, &loop_))
    return Written{address, evolution.getAddExpr(address, size)};
  const auto* steps = dyn_cast<SCEVAddRecExpr>(address);
  if (steps == nullptr || steps->getLoop() != &loop_ || !steps->isAffine()) return std::nullopt;
  const auto* step = dyn_cast<SCEVConstant>(steps->getStepRecurrence(evolution));
  if (step == nullptr || step->getAPInt().abs().ugt(kLargestStep)) return std::nullopt;
  const SCEV* count = evolution.getTruncateOrZeroExtend(iterations, word);
  const SCEV *first = steps->getStart(),
             *last = evolution.getAddExpr(first, evolution.getMulExpr(step, count));
  if (step->getAPInt().isNegative()) std::swap(first, last);
  return Written{first, evolution.getAddExpr(last, size)};
}

Value* SteadyLoop::is_apart(SCEVExpander& expander, IRBuilder<>& builder, const Written& written,
                            Value* place) const {
  Type* word = builder.getInt64Ty();
  Instruction* before = &*builder.GetInsertPoint();
  const auto number = [&](const SCEV* value) {
    Value* expanded = expander.expandCodeFor(value, nullptr, before->getIterator());
    return expanded->getType()->isPointerTy() ? builder.CreatePtrToInt(expanded, word) : expanded;
  };
  Value *low = number(written.low), *high = number(written.high);
  Value* from = builder.CreatePtrToInt(place, word);
  Value* to = builder.CreateAdd(from, builder.getInt64(sizeof(uint64_t)));
  return builder.CreateOr(builder.CreateICmpULE(high, from), builder.CreateICmpULE(to, low));
}

// As llvm::LoopVersioning does it, with a condition of our own.
void SteadyLoop::copy_loop(Value* is_steady) {
  BasicBlock *decides = loop_.getLoopPreheader(), *exit = loop_.getExitBlock(),
             *exiting = loop_.getExitingBlock();
  BasicBlock* preheader = SplitBlock(decides, decides->getTerminator(), &a_.dominators, &a_.loops, nullptr,
                                     loop_.getHeader()->getName() + ".steady");
  ValueToValueMapTy copies;
  SmallVector<BasicBlock*, 8> blocks;
  Loop* copy = cloneLoopWithPreheader(preheader, decides, &loop_, copies, ".changing", &a_.loops,
                                      &a_.dominators, blocks);
  remapInstructionsInBlocks(blocks, copies);
  ReplaceInstWithInst(decides->getTerminator(),
                      BranchInst::Create(preheader, copy->getLoopPreheader(), is_steady));
  a_.dominators.changeImmediateDominator(exit, decides);
  for (PHINode& phi : exit->phis()) {
    Value* value = phi.getIncomingValueForBlock(exiting);
    const auto copied = copies.find(value);
    phi.addIncoming(copied != copies.end() ? static_cast<Value*>(copied->second) : value,
                    cast<BasicBlock>(copies[exiting]));
  }
}

bool SteadyLoop::compute(Instruction* before) {
  const SCEV* iterations = a_.evolution.getBackedgeTakenCount(&loop_);
  SCEVExpander expander(a_.evolution, "footrace");
  const auto can = [&](const SCEV* value) { return expander.isSafeToExpandAt(value, before); };
  for (const StoreInst* store : stores_) {
    const std::optional<Written> range = range_of(*store, iterations);
    if (!range || !can(range->low) || !can(range->high)) return false;
    ranges_.push_back(*range);
  }
  return can(iterations);
}

bool SteadyLoop::make() {
  Instruction* before = loop_.getLoopPreheader()->getTerminator();
  load_early(before);
  if (!compute(before)) {
    drop_early();
    return false;
  }
  SCEVExpander expander(a_.evolution, "footrace");
  const SCEV* iterations = a_.evolution.getBackedgeTakenCount(&loop_);
  IRBuilder<> builder(before);
  builder.SetCurrentDebugLocation(bases_.front().loads.front()->getDebugLoc());
  Value* count = expander.expandCodeFor(iterations, nullptr, before->getIterator());
  Value* is_steady = builder.CreateICmpULT(builder.CreateZExtOrTrunc(count, builder.getInt64Ty()),
                                           builder.getInt64(uint64_t(1) << kIterationBits));
  for (const Written& range : ranges_)
    for (const Base& base : bases_)
      is_steady = builder.CreateAnd(is_steady, is_apart(expander, builder, range, base.early_place));
  copy_loop(is_steady);
  for (const Base& base : bases_)
    for (LoadInst* load : base.loads) {
      load->replaceAllUsesWith(base.early);
      load->eraseFromParent();
    }
  return true;
}

} // namespace

PreservedAnalyses SteadyBasesPass::run(Function& function, FunctionAnalysisManager& analyses) {
  const Analyses of = {
      analyses.getResult<LoopAnalysis>(function), analyses.getResult<DominatorTreeAnalysis>(function),
      analyses.getResult<ScalarEvolutionAnalysis>(function), analyses.getResult<AAManager>(function),
      analyses.getResult<AssumptionAnalysis>(function)};
  bool changed = false;
  for (Loop* loop : of.loops.getLoopsInPreorder()) {
    SteadyLoop steady(*loop, of);
    if (!steady.find()) continue;
    changed = true;
    if (steady.bring_into_shape() && steady.make()) of.evolution.forgetAllLoops();
  }
  return changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace footrace
