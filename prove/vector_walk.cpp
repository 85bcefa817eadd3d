#include "prove/vector_walk.h"

#include "prove/addresses.h"
#include "prove/locks.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

namespace footrace::prove {
namespace {

// libstdc++ and libc++ begin a vector with pointers to its first element and behind its last.
constexpr std::int64_t begin_offset = 0, end_offset = 8, element_size = 8;

bool may_change_memory(const llvm::Instruction& inst, const llvm::CallBase& join) {
  return &inst != &join && !llvm::isa<llvm::DbgInfoIntrinsic>(inst) && inst.mayWriteToMemory();
}

// Both are read right before the loop, from one vector.
const llvm::Value* vector_of(const llvm::LoadInst& begin, const llvm::LoadInst& end,
                             const llvm::BasicBlock& before_loop, const llvm::CallBase& join) {
  const llvm::DataLayout& data = before_loop.getModule()->getDataLayout();
  Address first = address_of(begin.getPointerOperand(), data),
          last = address_of(end.getPointerOperand(), data);
  bool is_one_vector =
      first.root && first.root == last.root && last.offset - first.offset == end_offset - begin_offset;
  if (!is_one_vector || begin.getParent() != &before_loop || end.getParent() != &before_loop) return nullptr;
  const llvm::Instruction* from = begin.comesBefore(&end) ? &begin : &end;
  for (; from; from = from->getNextNode())
    if (may_change_memory(*from, join)) return nullptr;
  return begin.getPointerOperand();
}

// Every iteration joins, or finds that the handle is zero: nothing runs.
bool joins_every_time(const llvm::CallBase& join, const llvm::PHINode& element, const llvm::BasicBlock& latch,
                      const llvm::DominatorTree& dominators) {
  if (dominators.dominates(join.getParent(), &latch)) return true;
  const llvm::BasicBlock* test_block = join.getParent()->getSinglePredecessor();
  if (!test_block || !dominators.dominates(test_block, &latch)) return false;
  ZeroTest test = zero_test(*test_block);
  const auto* handle = llvm::dyn_cast_or_null<llvm::LoadInst>(test.value);
  return handle && handle->getPointerOperand() == &element && handle->getParent() == test_block &&
         test.other == join.getParent();
}

// it != end, or leave
struct EndTest {
  const llvm::Value* end = nullptr;
  const llvm::BasicBlock* exit = nullptr;
};

EndTest end_test(const llvm::Loop& loop, const llvm::PHINode& element) {
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(loop.getHeader()->getTerminator());
  if (!branch || !branch->isConditional()) return {};
  const llvm::Value* condition = branch->getCondition();
  const auto* flip = llvm::dyn_cast<llvm::BinaryOperator>(condition);
  bool is_inverted = flip && flip->getOpcode() == llvm::Instruction::Xor &&
                     llvm::isa<llvm::ConstantInt>(flip->getOperand(1));
  if (is_inverted) condition = flip->getOperand(0);
  const auto* compare = llvm::dyn_cast<llvm::ICmpInst>(condition);
  if (!compare || !compare->isEquality() || compare->getOperand(0) != &element) return {};
  bool is_true_at_end = (compare->getPredicate() == llvm::CmpInst::ICMP_EQ) != is_inverted;
  const llvm::BasicBlock* exit = branch->getSuccessor(is_true_at_end ? 0 : 1);
  bool is_left_only_here = !loop.contains(exit) && exit->getSinglePredecessor() == loop.getHeader();
  return is_left_only_here ? EndTest{compare->getOperand(1), exit} : EndTest();
}

bool may_change_memory(const llvm::Loop& loop, const llvm::CallBase& join) {
  return llvm::any_of(loop.blocks(), [&](const llvm::BasicBlock* block) {
    return llvm::any_of(*block, [&](const llvm::Instruction& inst) { return may_change_memory(inst, join); });
  });
}

} // namespace

std::optional<VectorWalk> walk_over_vector(const llvm::CallBase& join) {
  const auto* element = llvm::dyn_cast<llvm::PHINode>(join.getArgOperand(0));
  if (!element) return std::nullopt;
  llvm::DominatorTree dominators(const_cast<llvm::Function&>(*join.getFunction()));
  llvm::LoopInfo loops(dominators);
  const llvm::Loop* loop = loops.getLoopFor(join.getParent());
  const llvm::BasicBlock* before = loop ? loop->getLoopPreheader() : nullptr;
  const llvm::BasicBlock* latch = loop ? loop->getLoopLatch() : nullptr;
  if (!before || !latch || element->getParent() != loop->getHeader()) return std::nullopt;
  EndTest test = end_test(*loop, *element);
  Address next = address_of(element->getIncomingValueForBlock(latch), join.getModule()->getDataLayout());
  if (!test.exit || next != Address{element, element_size}) return std::nullopt;
  const auto* begin = llvm::dyn_cast<llvm::LoadInst>(element->getIncomingValueForBlock(before));
  const auto* end = llvm::dyn_cast<llvm::LoadInst>(test.end);
  if (!begin || !end || !joins_every_time(join, *element, *latch, dominators)) return std::nullopt;
  if (may_change_memory(*loop, join)) return std::nullopt;
  const llvm::Value* vector = vector_of(*begin, *end, *before, join);
  return vector ? std::optional(VectorWalk{vector, test.exit}) : std::nullopt;
}

} // namespace footrace::prove
