#include "prove/lock_words.h"

#include "prove/locks.h"
#include "prove/semaphores.h"

#include "llvm/IR/CFG.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"

#include <set>

namespace footrace::prove {
namespace {

constexpr std::uint64_t word_size = 8; // at most

bool is_zero(const llvm::Value* value) {
  const auto* constant = llvm::dyn_cast<llvm::Constant>(value);
  return constant && constant->isNullValue();
}

bool must_be_nonzero(const llvm::Value* value) {
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(value);
  return constant && !constant->isZero();
}

// What is expected is kept in a variable, which the program resets before it tries again.
bool must_be_zero(const llvm::Value* value, unsigned depth = 4) {
  if (is_zero(value)) return true;
  const auto* phi = llvm::dyn_cast<llvm::PHINode>(value);
  return phi && depth > 0 && llvm::all_of(phi->incoming_values(), [&](const llvm::Value* incoming) {
           return incoming == phi || must_be_zero(incoming, depth - 1);
         });
}

// An exchange that leaves a value that is not zero, and says what was there.
bool may_take(const llvm::Instruction& inst) {
  if (const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&inst))
    return update->getOperation() == llvm::AtomicRMWInst::Xchg &&
           llvm::isAcquireOrStronger(update->getOrdering()) && must_be_nonzero(update->getValOperand());
  if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&inst))
    return llvm::isAcquireOrStronger(exchange->getSuccessOrdering()) &&
           must_be_zero(exchange->getCompareOperand()) && must_be_nonzero(exchange->getNewValOperand());
  return false;
}

// A store of zero that makes known what was done before.
bool may_give_back(const llvm::Instruction& inst) {
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&inst))
    return llvm::isReleaseOrStronger(store->getOrdering()) && is_zero(store->getValueOperand());
  const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&inst);
  return update && update->getOperation() == llvm::AtomicRMWInst::Xchg &&
         llvm::isReleaseOrStronger(update->getOrdering()) && is_zero(update->getValOperand());
}

const llvm::Value* word_of(const llvm::Instruction& inst) {
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&inst)) return store->getPointerOperand();
  if (const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&inst)) return update->getPointerOperand();
  return llvm::cast<llvm::AtomicCmpXchgInst>(inst).getPointerOperand();
}

bool may_give_back_or_call(const llvm::Instruction& inst) {
  bool is_call = llvm::isa<llvm::CallBase>(inst) && !llvm::isa<llvm::IntrinsicInst>(inst);
  return is_call || may_give_back(inst);
}

// Nothing between the instruction and the end of the block, on any way, may give the lock back.
bool decides_at_once(const llvm::Instruction& inst, const llvm::BasicBlock& end) {
  for (const llvm::Instruction* next = inst.getNextNode(); next; next = next->getNextNode())
    if (may_give_back_or_call(*next)) return false;
  std::set<const llvm::BasicBlock*> seen = {inst.getParent()};
  llvm::SmallVector<const llvm::BasicBlock*> work = {&end};
  while (!work.empty()) {
    const llvm::BasicBlock* block = work.pop_back_val();
    if (!seen.insert(block).second) continue;
    if (llvm::any_of(*block, may_give_back_or_call)) return false;
    llvm::append_range(work, llvm::predecessors(block));
  }
  return true;
}

// The exchange that the edge says has found zero.
const llvm::Instruction* exchange_that_took(const llvm::BasicBlock& from, const llvm::BasicBlock* to) {
  ZeroTest test = zero_test(from);
  if (!test.value) return nullptr;
  const llvm::Instruction* exchange = nullptr;
  if (to == test.zero) exchange = llvm::dyn_cast<llvm::AtomicRMWInst>(test.value);
  const auto* success = llvm::dyn_cast<llvm::ExtractValueInst>(test.value);
  if (success && to == test.other && success->getIndices() == llvm::ArrayRef<unsigned>{1})
    exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(success->getAggregateOperand());
  bool is_known = exchange && may_take(*exchange);
  return is_known && decides_at_once(*exchange, from) ? exchange : nullptr;
}

} // namespace

LockWords::LockWords(const PointsTo& pointers, const Accesses& accesses, const Threads& threads,
                     const Escape& escape)
    : pointers_(pointers), accesses_(accesses), threads_(threads), escape_(escape) {
  collect_words();
  collect_semaphores();
}

void LockWords::collect_words() {
  for (const Access& access : accesses_.all())
    if (access.may_write() && may_take(*access.inst)) words_ |= accesses_.locations(access);
  if (words_.empty()) return;
  drop(pointers_.known_to_unknown_code());
  for (const Access& access : accesses_.all())
    if (access.may_write()) examine(access);
}

// Every write of a word must be one that a lock has.
void LockWords::examine(const Access& access) {
  if (access.kind == AccessKind::Allocation || access.kind == AccessKind::Free) return;
  LocationSet touched;
  for (LocationId word : words_)
    if (accesses_.may_touch(access, word, word_size)) touched.set(word);
  if (touched.empty() || may_take(*access.inst)) return;
  if (may_give_back(*access.inst)) {
    if (!is_before_others(access)) given_back_.push_back({access.instance, access.inst, access.pointer});
  } else if (!is_before_others(access)) {
    drop(touched);
  }
}

// While the object is not known to others, or there are none, a write only makes the lock.
bool LockWords::is_before_others(const Access& access) const {
  bool is_alone = pointers_.origin_of(access.instance) == main_origin &&
                  threads_.live(access.instance, access.inst).empty();
  return is_alone || !escape_.may_be_published(access);
}

void LockWords::collect_semaphores() {
  for (const auto& [location, semaphore] : find_semaphores(pointers_)) {
    for (const SemaphoreUse& post : semaphore.posts)
      given_back_.push_back({post.instance, post.call, post.call->getArgOperand(0)});
    bool is_lock = semaphore.begins_with == 1 && !pointers_.known_to_unknown_code().test(location) &&
                   llvm::all_of(semaphore.starts, [&](const SemaphoreUse& start) {
                     return is_before_others({.instance = start.instance,
                                              .inst = start.call,
                                              .pointer = start.call->getArgOperand(0),
                                              .size = word_size,
                                              .kind = AccessKind::Write,
                                              .is_atomic = false});
                   });
    if (is_lock) words_.set(location);
  }
}

bool LockWords::must_be_lock(InstanceId instance, const llvm::Value* pointer) const {
  const LocationSet& locations = pointers_.points_to(pointer, instance);
  return !locations.empty() && words_.contains(locations);
}

bool LockWords::may_be_lock(InstanceId instance, const llvm::Value* pointer) const {
  return words_.intersects(pointers_.points_to(pointer, instance));
}

const llvm::Value* LockWords::taken_along(InstanceId instance, const llvm::BasicBlock& from,
                                          const llvm::BasicBlock* to) const {
  if (words_.empty()) return nullptr;
  if (const llvm::Instruction* exchange = exchange_that_took(from, to))
    return must_be_lock(instance, word_of(*exchange)) ? word_of(*exchange) : nullptr;
  ZeroTest test = zero_test(from);
  const auto* call = llvm::dyn_cast_or_null<llvm::CallBase>(test.value);
  if (!call || to != test.zero || !decides_at_once(*call, from)) return nullptr;
  const LibraryFunction* function = pointers_.certain_library_callee(instance, call);
  bool is_tried = function && function->name == "sem_trywait";
  return is_tried && must_be_lock(instance, call->getArgOperand(0)) ? call->getArgOperand(0) : nullptr;
}

const llvm::Value* LockWords::taken_by(InstanceId instance, const llvm::CallBase& call) const {
  const LibraryFunction* function =
      words_.empty() ? nullptr : pointers_.certain_library_callee(instance, &call);
  bool is_taken = function && function->name == "sem_wait";
  return is_taken && must_be_lock(instance, call.getArgOperand(0)) ? call.getArgOperand(0) : nullptr;
}

const llvm::Value* LockWords::given_back_by(InstanceId instance, const llvm::Instruction& inst) const {
  if (words_.empty()) return nullptr;
  if (may_give_back(inst)) return may_be_lock(instance, word_of(inst)) ? word_of(inst) : nullptr;
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&inst);
  if (!call) return nullptr;
  for (const LibraryFunction* function : pointers_.library_callees(instance, call))
    if (function->name == "sem_post" && may_be_lock(instance, call->getArgOperand(0)))
      return call->getArgOperand(0);
  return nullptr;
}

bool LockWords::drop_unheld(const Locks& locks) {
  bool changed = false;
  for (const Operation& back : given_back_) {
    LocationSet given = pointers_.points_to(back.pointer, back.instance);
    given &= words_;
    if (given.empty() || locks.must_hold(back.instance, back.inst, back.pointer)) continue;
    drop(given);
    changed = true;
  }
  return changed;
}

} // namespace footrace::prove
