#include "prove/thread_numbers.h"

#include "prove/loop_arithmetic.h"

#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

namespace footrace::prove {
namespace {

constexpr unsigned narrowest_number = 32; // bits; a run does not have more threads than that
constexpr unsigned max_calls = 8;         // between a loop and the creation of a thread

const llvm::SCEV* without_extensions(const llvm::SCEV* value) {
  while (llvm::isa<llvm::SCEVSignExtendExpr, llvm::SCEVZeroExtendExpr>(value))
    value = llvm::cast<llvm::SCEVCastExpr>(value)->getOperand();
  return value;
}

// The second comes after the first whenever it runs, and the first has run anew.
bool runs_anew_before(const llvm::Instruction* first, const llvm::Instruction* second,
                      const llvm::DominatorTree& dominators) {
  return dominators.dominates(first, second) && !may_reach(second, second, first);
}

// `barrier`: what begins a new round.
bool may_both_run(const llvm::Instruction* a, const llvm::Instruction* b, const llvm::Instruction* barrier) {
  return may_reach(a, b, barrier) || may_reach(b, a, barrier);
}

} // namespace

// Counts the iterations of a loop that is not inside another one.
bool ThreadNumbers::is_counter(const llvm::Value* value, const llvm::Instruction* where) const {
  LoopArithmetic facts(const_cast<llvm::Function&>(*where->getFunction()));
  const llvm::Loop* loop = facts.loops.getLoopFor(where->getParent());
  if (!loop || loop->getParentLoop() || !facts.evolution.isSCEVable(value->getType())) return false;
  const auto* counter = llvm::dyn_cast<llvm::SCEVAddRecExpr>(
      without_extensions(facts.evolution.getSCEV(const_cast<llvm::Value*>(value))));
  if (!counter || counter->getLoop() != loop || !counter->isAffine()) return false;
  const auto* step = llvm::dyn_cast<llvm::SCEVConstant>(counter->getStepRecurrence(facts.evolution));
  return step && step->getAPInt().abs().isOne() &&
         facts.evolution.getTypeSizeInBits(counter->getType()) >= narrowest_number;
}

// One place creates these threads, in a loop that is run through once, with a counter as the argument.
bool ThreadNumbers::gets_own_number(OriginId origin) const {
  auto [known, is_new] = own_.try_emplace(origin, false);
  if (!is_new) return known->second;
  llvm::ArrayRef<Spawn> creations = threads_.creations(origin);
  if (creations.size() != 1 || threads_.may_be_created_again(creations[0])) return false;
  const auto* argument = llvm::dyn_cast_or_null<llvm::IntToPtrInst>(argument_of(pointers_, creations[0]));
  return own_[origin] = argument && is_counter(argument->getOperand(0), creations[0].site);
}

// The calls from the instance down to the one creation of the thread, if they are the only way to it.
std::optional<std::vector<ThreadNumbers::Site>> ThreadNumbers::creation_below(OriginId thread,
                                                                              InstanceId instance) const {
  llvm::ArrayRef<Spawn> creations = threads_.creations(thread);
  if (creations.size() != 1) return std::nullopt;
  std::vector<Site> sites = {{creations[0].creator, creations[0].site}};
  while (sites.back().instance != instance) {
    llvm::ArrayRef<Caller> callers = callers_.of(sites.back().instance);
    if (callers.size() != 1 || !callers[0].passes_arguments || sites.size() > max_calls) return std::nullopt;
    if (may_reach(sites.back().call, sites.back().call, nullptr)) return std::nullopt; // more than one thread
    sites.push_back({callers[0].instance, callers[0].site});
  }
  std::reverse(sites.begin(), sites.end());
  return sites;
}

// Whenever the thread is created, the value and all copies of it are those of this iteration: memory on the way is in the
// function of the loop, and written again in every iteration, or in what that function calls, or new and the thread's own.
bool ThreadNumbers::is_copied_anew(const Copying& copying, const std::vector<Site>& creation,
                                   OriginId thread) const {
  const Memory& memory = pointers_.memory();
  llvm::DominatorTree dominators(const_cast<llvm::Function&>(*creation.front().call->getFunction()));
  const llvm::Instruction *last = nullptr, *counting = copying.beginning ? copying.first().inst : nullptr;
  // What a counter says need not be from this iteration, but is never said again.
  auto comes_anew = [&](const llvm::Instruction* next) {
    return last == counting ? !may_reach(next, next, last) : runs_anew_before(last, next, dominators);
  };
  for (const Copying::Step& step : copying.steps) {
    bool is_below = llvm::any_of(creation, [&](const Site& site) { return site.instance == step.instance; });
    const Object& object = memory[memory.object_of(step.to)];
    bool is_thread_state = &step == &copying.steps.back();
    if (!is_below || (!is_thread_state && object.kind != ObjectKind::Stack)) return false;
    if (step.instance != creation.front().instance) continue;
    if (last && !comes_anew(step.inst)) return false;
    last = step.inst;
  }
  const llvm::Value* state = argument_of(pointers_, threads_.creations(thread)[0]);
  const auto* allocation = llvm::dyn_cast_or_null<llvm::CallBase>(state);
  const LibraryFunction* function = allocation ? library_function(*allocation) : nullptr;
  bool is_new_state = function && function->role == Role::Allocate &&
                      memory[memory.object_of(copying.steps.back().to)].site == allocation &&
                      !may_reach(creation.back().call, creation.back().call, allocation);
  return is_new_state && comes_anew(creation.front().call);
}

// Both threads are created in one loop that runs once, at most one of them in each iteration.
bool ThreadNumbers::get_own_numbers(OriginId a, LocationId a_number, OriginId b, LocationId b_number) const {
  constexpr std::uint64_t size = narrowest_number / 8;
  for (std::uint64_t width : {size, 2 * size}) {
    std::optional<Copying> one = copied_.source_of(a_number, width), two = copied_.source_of(b_number, width);
    if (!one || !two || one->first().inst != two->first().inst ||
        one->first().instance != two->first().instance)
      continue;
    const auto [instance, store, to] = one->first();
    std::optional<std::vector<Site>> first = creation_below(a, instance),
                                     second = creation_below(b, instance);
    if (!first || !second || executions_.may_run_again(instance)) return false;
    if (!is_copied_anew(*one, *first, a) || !is_copied_anew(*two, *second, b)) return false;
    auto [left, right] = std::ranges::mismatch(*first, *second);
    if (left != first->end() && right != second->end() &&
        may_both_run(left->call, right->call, left == first->begin() ? store : nullptr))
      return false;
    if (one->beginning) return !executions_.may_run_again(instance, one->beginning);
    return is_counter(one->value(), store);
  }
  return false;
}

bool ThreadNumbers::is_argument(InstanceId instance, const llvm::Value* value) const {
  const auto* parameter = llvm::dyn_cast<llvm::Argument>(value);
  const Instance& in = pointers_.instances()[instance];
  return parameter && parameter->getArgNo() == 0 && pointers_.contexts()[in.context].calls.empty() &&
         in.function == pointers_.contexts().origin(pointers_.origin_of(instance)).entry;
}

std::pair<InstanceId, const llvm::Value*> ThreadNumbers::number_of(InstanceId instance,
                                                                   const llvm::Value* value) const {
  for (unsigned calls = 0; calls < max_calls;) {
    if (const auto* cast = llvm::dyn_cast<llvm::CastInst>(value)) {
      if (cast->getType()->isIntegerTy() && cast->getType()->getIntegerBitWidth() < narrowest_number) break;
      value = cast->getOperand(0);
      continue;
    }
    const auto* parameter = llvm::dyn_cast<llvm::Argument>(value);
    if (!parameter || is_argument(instance, value)) return {instance, value};
    llvm::ArrayRef<Caller> callers = callers_.of(instance);
    bool is_passed = callers.size() == 1 && callers[0].passes_arguments &&
                     parameter->getArgNo() < callers[0].site->arg_size();
    if (!is_passed) return {instance, value};
    value = callers[0].site->getArgOperand(parameter->getArgNo());
    instance = callers[0].instance;
    calls++;
  }
  return {instance, nullptr};
}

bool ThreadNumbers::is_written_meanwhile(LocationId field, InstanceId instance,
                                         const llvm::LoadInst& load) const {
  const Access read{.instance = instance,
                    .inst = &load,
                    .pointer = load.getPointerOperand(),
                    .size = sizeof(void*),
                    .kind = AccessKind::Read,
                    .is_atomic = false};
  return pointers_.known_to_unknown_code().test(field) ||
         llvm::any_of(copied_.writes_of(field, sizeof(void*)), [&](AccessId write) {
           return threads_.may_happen_in_parallel(accesses_[write], read) ||
                  pointers_.origin_of(accesses_[write].instance) == pointers_.origin_of(instance);
         });
}

std::optional<ThreadNumbers::Base> ThreadNumbers::base_of(InstanceId instance,
                                                          const llvm::Value* pointer) const {
  std::tie(instance, pointer) = number_of(instance, pointer);
  if (const auto* global = llvm::dyn_cast_or_null<llvm::GlobalVariable>(pointer))
    return global->isThreadLocal() ? std::nullopt
                                   : std::optional(Base{.value = global, .instance = 0, .field = {}});
  const auto* load = llvm::dyn_cast_or_null<llvm::LoadInst>(pointer);
  if (!load || load->isAtomic()) return std::nullopt;
  const LocationSet& locations = pointers_.points_to(load->getPointerOperand(), instance);
  if (locations.count() != 1) return std::nullopt;
  auto field = static_cast<LocationId>(locations.find_first());
  if (executions_.is_single_location(field) && !is_written_meanwhile(field, instance, *load))
    return Base{.value = nullptr, .instance = 0, .field = field};
  std::optional<Copying> copying = copied_.source_of(field, sizeof(void*));
  if (!copying || copying->beginning) return std::nullopt;
  const auto* computed = llvm::dyn_cast<llvm::Instruction>(copying->value());
  bool is_one_value = computed ? !executions_.may_run_again(copying->first().instance, computed)
                               : !executions_.may_run_again(copying->first().instance);
  return is_one_value ? std::optional(Base{copying->value(), copying->first().instance, {}}) : std::nullopt;
}

std::optional<ThreadNumbers::Element> ThreadNumbers::element_of(const Access& access) const {
  const llvm::DataLayout& data = pointers_.module().getDataLayout();
  llvm::SmallMapVector<llvm::Value*, llvm::APInt, 4> indices;
  llvm::APInt offset(64, 0);
  const llvm::Value* pointer = access.pointer;
  while (const auto* gep = llvm::dyn_cast<llvm::GEPOperator>(pointer)) {
    if (!gep->collectOffset(data, 64, indices, offset)) return std::nullopt;
    pointer = gep->getPointerOperand();
  }
  if (indices.size() != 1) return std::nullopt;
  const auto& [index, stride] = *indices.begin();
  auto [instance, number] = number_of(access.instance, index);
  if (!number || !stride.isStrictlyPositive()) return std::nullopt;
  Element element{.base = {}, .stride = stride.getZExtValue(), .offset = offset.getSExtValue(), .number = {}};
  if (!is_argument(instance, number)) {
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(number);
    const LocationSet* fields = load ? &pointers_.points_to(load->getPointerOperand(), instance) : nullptr;
    if (!fields || fields->count() != 1 || load->isAtomic()) return std::nullopt;
    element.number = static_cast<LocationId>(fields->find_first());
  }
  std::optional<Base> base = base_of(access.instance, pointer);
  if (!base) return std::nullopt;
  element.base = *base;
  return element;
}

bool ThreadNumbers::must_be_apart(const Access& a, const Access& b) const {
  OriginId first = pointers_.origin_of(a.instance), second = pointers_.origin_of(b.instance);
  if (first == main_origin || second == main_origin) return false;
  std::optional<Element> one = element_of(a), two = element_of(b);
  if (!one || !two || one->base != two->base || one->stride != two->stride) return false;
  auto stride = static_cast<std::int64_t>(one->stride);
  auto is_within = [&](const Element& element, std::uint64_t size) {
    return element.offset >= 0 && size <= one->stride &&
           static_cast<std::uint64_t>(element.offset % stride) + size <= one->stride;
  };
  if (!is_within(*one, a.size) || !is_within(*two, b.size) || one->offset / stride != two->offset / stride)
    return false;
  if (one->number && two->number) return get_own_numbers(first, *one->number, second, *two->number);
  return !one->number && !two->number && first == second && gets_own_number(first);
}

} // namespace footrace::prove
