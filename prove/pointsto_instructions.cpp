// Constraints of single instructions.
#include "prove/pointsto.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/DataLayout.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Operator.h"

namespace footrace::prove {
namespace {

// Offsets of the parts of a value in memory that may hold a pointer.
void pointer_offsets(llvm::Type* type, std::uint64_t offset, const llvm::DataLayout& data,
                     llvm::SmallVectorImpl<std::uint64_t>& offsets) {
  if (auto* record = llvm::dyn_cast<llvm::StructType>(type)) {
    for (unsigned i = 0; i < record->getNumElements(); i++)
      pointer_offsets(record->getElementType(i), offset + data.getStructLayout(record)->getElementOffset(i),
                      data, offsets);
  } else if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
    std::uint64_t stride = data.getTypeAllocSize(array->getElementType());
    for (unsigned i = 0; i < array->getNumElements(); i++)
      pointer_offsets(array->getElementType(), offset + i * stride, data, offsets);
  } else if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
    std::uint64_t stride = data.getTypeAllocSize(vector->getElementType());
    for (unsigned i = 0; i < vector->getNumElements(); i++)
      pointer_offsets(vector->getElementType(), offset + i * stride, data, offsets);
  } else if (may_hold_pointer(type)) {
    for (std::uint64_t begin = 0; begin < data.getTypeStoreSize(type); begin += 8)
      offsets.push_back(offset + begin);
  }
}

// p = phi(q, p + c): after some iterations p is q plus any multiple of c.
bool is_loop_increment(const llvm::Value* start) {
  llvm::SmallPtrSet<const llvm::Value*, 8> seen;
  llvm::SmallVector<const llvm::Value*> work{start};
  while (!work.empty()) {
    const llvm::Value* value = work.pop_back_val();
    for (const llvm::User* user : value->users()) {
      if (user == start) return true;
      bool carries = llvm::isa<llvm::PHINode, llvm::SelectInst, llvm::GetElementPtrInst, llvm::CastInst,
                               llvm::BinaryOperator>(user);
      if (carries && seen.insert(user).second) work.push_back(user);
    }
  }
  return false;
}

// A sum that nobody keeps or passes on is an index or a size.
bool may_become_pointer(const llvm::Value* integer) {
  llvm::SmallPtrSet<const llvm::Value*, 8> seen;
  llvm::SmallVector<const llvm::Value*> work{integer};
  while (!work.empty()) {
    const llvm::Value* value = work.pop_back_val();
    for (const llvm::User* user : value->users()) {
      if (llvm::isa<llvm::IntToPtrInst, llvm::StoreInst, llvm::CallBase, llvm::ReturnInst>(user)) return true;
      bool carries = llvm::isa<llvm::PHINode, llvm::SelectInst, llvm::BinaryOperator, llvm::CastInst>(user);
      if (carries && seen.insert(user).second) work.push_back(user);
    }
  }
  return false;
}

constexpr std::uint64_t tag_bits = 7; // marks that programs put into pointers

// Whether bits of an address change that are more than a mark. Parts that are taken out of it are put together again.
bool may_move(const llvm::BinaryOperator& inst) {
  const auto* left = llvm::dyn_cast<llvm::ConstantInt>(inst.getOperand(0));
  const auto* constant = left ? left : llvm::dyn_cast<llvm::ConstantInt>(inst.getOperand(1));
  if (inst.getType()->getScalarSizeInBits() > 64) return true;
  const std::uint64_t bits = constant ? static_cast<std::uint64_t>(constant->getSExtValue()) : 0;
  constexpr std::uint64_t low_half = 0xffffffff;
  switch (inst.getOpcode()) {
  case llvm::Instruction::And: // what leaves nothing but a mark is no address
    return !constant || ((~bits & low_half & ~tag_bits) != 0 && (bits & ~tag_bits) != 0);
  case llvm::Instruction::Or:
  case llvm::Instruction::Xor:
    return constant && (bits & ~tag_bits) != 0;
  case llvm::Instruction::Shl:
    return !constant || left || bits > 3;
  default:
    return false;
  }
}

// x / n * n: the address that is rounded down; null if it is something else.
const llvm::Value* rounded_down(const llvm::BinaryOperator& product) {
  const auto* quotient = llvm::dyn_cast<llvm::BinaryOperator>(product.getOperand(0));
  const bool is_quotient = quotient && (quotient->getOpcode() == llvm::Instruction::UDiv ||
                                        quotient->getOpcode() == llvm::Instruction::SDiv);
  return is_quotient && quotient->getOperand(1) == product.getOperand(1) ? quotient->getOperand(0) : nullptr;
}

bool is_distance(const llvm::BinaryOperator& inst) {
  return inst.getOpcode() == llvm::Instruction::Sub &&
         llvm::isa<llvm::PtrToIntOperator>(inst.getOperand(0)) &&
         llvm::isa<llvm::PtrToIntOperator>(inst.getOperand(1));
}

} // namespace

bool may_hold_pointer(const llvm::Type* type) {
  if (type->isPointerTy()) return true;
  if (type->isIntegerTy()) return type->getIntegerBitWidth() >= 8;
  if (type->isDoubleTy()) return true; // members of a union with a pointer
  if (type->isVectorTy()) return may_hold_pointer(llvm::cast<llvm::VectorType>(type)->getElementType());
  return type->isAggregateType();
}

// The hash tables of the C++ library index an array of buckets, or the one bucket that is a member of the table.
bool is_index_of_buckets(const llvm::GEPOperator& gep) {
  const auto* inst = llvm::dyn_cast<llvm::Instruction>(&gep);
  const llvm::DILocation* at = inst ? inst->getDebugLoc().get() : nullptr;
  const llvm::DISubprogram* function = at ? at->getScope()->getSubprogram() : nullptr;
  if (!function || !gep.getSourceElementType()->isPointerTy()) return false;
  llvm::StringRef name = function->getLinkageName();
  return name.starts_with("_ZNSt10_Hashtable") || name.starts_with("_ZNKSt10_Hashtable");
}

Shift shift_of(const llvm::GEPOperator& gep, const llvm::DataLayout& data, bool in_loop) {
  Shift shift;
  std::int64_t constant = 0;
  bool is_first = true;
  llvm::Type* indexed = nullptr; // what the next index goes into
  auto flush = [&] {
    if (constant) shift.push_back({constant, 0, 0, false});
    constant = 0;
  };
  for (auto step = llvm::gep_type_begin(gep), end = llvm::gep_type_end(gep); step != end; ++step) {
    bool first = std::exchange(is_first, false);
    llvm::Type* container = std::exchange(indexed, step.getIndexedType());
    if (llvm::StructType* record = step.getStructTypeOrNull()) {
      auto field = static_cast<unsigned>(
          llvm::cast<llvm::Constant>(step.getOperand())->getUniqueInteger().getZExtValue());
      constant +=
          static_cast<std::int64_t>(data.getStructLayout(record)->getElementOffset(field).getFixedValue());
      continue;
    }
    std::uint64_t stride = step.getSequentialElementStride(data).getFixedValue();
    if (const auto* index = llvm::dyn_cast<llvm::ConstantInt>(step.getOperand())) {
      constant += index->getSExtValue() * static_cast<std::int64_t>(stride);
      continue;
    }
    flush();
    const auto* array = llvm::dyn_cast_or_null<llvm::ArrayType>(first ? nullptr : container);
    std::uint64_t extent = array ? array->getNumElements() * stride : 0;
    shift.push_back({0, stride, extent, is_index_of_buckets(gep)});
  }
  if (in_loop && constant != 0)
    shift.push_back({0, static_cast<std::uint64_t>(std::abs(constant)), 0, false});
  else
    flush();
  if (shift.empty()) shift.push_back({});
  return shift;
}

void PointsTo::generate(InstanceId instance) {
  const llvm::Function& function = *instances_[instance].function;
  for (const llvm::Instruction& inst : llvm::instructions(function)) visit(instance, inst);
}

void PointsTo::visit_load(ContextId context, const llvm::Instruction& inst, const llvm::Value* pointer) {
  llvm::SmallVector<std::uint64_t> offsets;
  llvm::Type* type = inst.getType();
  if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&inst))
    type = exchange->getNewValOperand()->getType();
  pointer_offsets(type, 0, module_.getDataLayout(), offsets);
  for (std::uint64_t offset : offsets) solver_.add_load(node(pointer, context), node(&inst, context), offset);
}

void PointsTo::visit_store(ContextId context, const llvm::Value* value, const llvm::Value* pointer) {
  llvm::SmallVector<std::uint64_t> offsets;
  pointer_offsets(value->getType(), 0, module_.getDataLayout(), offsets);
  if (llvm::isa<llvm::ConstantInt, llvm::ConstantPointerNull, llvm::UndefValue>(value)) offsets.clear();
  for (std::uint64_t offset : offsets)
    solver_.add_store(node(pointer, context), node(value, context), offset);
  node(pointer, context);
}

void PointsTo::copy_operands(ContextId context, const llvm::Instruction& inst) {
  if (!may_hold_pointer(inst.getType())) return;
  for (const llvm::Use& operand : inst.operands())
    if (may_hold_pointer(operand->getType()) &&
        !llvm::isa<llvm::ConstantInt, llvm::ConstantPointerNull>(operand))
      solver_.add_copy(node(operand.get(), context), node(&inst, context));
}

// Somewhere else in the same objects.
void PointsTo::move_operands(ContextId context, const llvm::Instruction& inst) {
  for (const llvm::Use& operand : inst.operands())
    if (may_hold_pointer(operand->getType()) && !llvm::isa<llvm::Constant>(operand))
      solver_.add_copy(interior(node(operand.get(), context)), node(&inst, context));
}

// Pointers in integers: tags are masked in and out, bytes are taken apart and put together, offsets are added; other
// arithmetic does not make pointers.
void PointsTo::visit_arithmetic(ContextId context, const llvm::BinaryOperator& inst) {
  if (!may_hold_pointer(inst.getType())) return;
  switch (inst.getOpcode()) {
  case llvm::Instruction::And:
  case llvm::Instruction::Or:
  case llvm::Instruction::Xor:
  case llvm::Instruction::Shl:
  case llvm::Instruction::LShr:
  case llvm::Instruction::AShr:
    if (may_move(inst) && may_become_pointer(&inst))
      move_operands(context, inst);
    else
      copy_operands(context, inst);
    break;
  case llvm::Instruction::Mul:
    if (const llvm::Value* address = rounded_down(inst); address && may_become_pointer(&inst))
      solver_.add_copy(interior(node(address, context)), node(&inst, context));
    break;
  case llvm::Instruction::Add:
  case llvm::Instruction::Sub:
    if (inst.getType()->isIntegerTy(64) && !is_distance(inst) && may_become_pointer(&inst))
      visit_sum(context, inst);
    break;
  default:
    break;
  }
}

void PointsTo::visit_sum(ContextId context, const llvm::BinaryOperator& inst) {
  const llvm::Value *left = inst.getOperand(0), *right = inst.getOperand(1);
  const auto* constant = llvm::dyn_cast<llvm::ConstantInt>(right);
  NodeId result = node(&inst, context);
  if (constant && constant->getValue().isSignedIntN(63)) {
    std::int64_t offset = constant->getSExtValue();
    if (inst.getOpcode() == llvm::Instruction::Sub) offset = -offset;
    Step step{offset, 0, 0};
    if (is_loop_increment(&inst)) step = {0, static_cast<std::uint64_t>(std::abs(offset)), 0};
    return solver_.add_shift(node(left, context), result, {step});
  }
  solver_.add_shift(node(left, context), result, {{0, 1, 0}});
  if (!llvm::isa<llvm::Constant>(right)) solver_.add_shift(node(right, context), result, {{0, 1, 0}});
}

void PointsTo::visit(InstanceId instance, const llvm::Instruction& inst) {
  ContextId context = instances_[instance].context;
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&inst)) return visit_call(instance, *call);
  if (const auto* local = llvm::dyn_cast<llvm::AllocaInst>(&inst)) {
    const llvm::DataLayout& data = module_.getDataLayout();
    bool is_single = !local->isArrayAllocation();
    llvm::Type* type = is_single ? local->getAllocatedType() : nullptr;
    std::uint64_t size = is_single ? data.getTypeAllocSize(type).getFixedValue() : unbounded;
    ObjectId object = solver_.memory().object(ObjectKind::Stack, local, context, type, size);
    solver_.add_location(node(local, context), solver_.memory().location(object, 0));
  } else if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&inst)) {
    node(load->getPointerOperand(), context);
    visit_load(context, inst, load->getPointerOperand());
  } else if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&inst)) {
    visit_store(context, store->getValueOperand(), store->getPointerOperand());
  } else if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&inst)) {
    visit_load(context, inst, exchange->getPointerOperand());
    visit_store(context, exchange->getNewValOperand(), exchange->getPointerOperand());
  } else if (const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&inst)) {
    visit_load(context, inst, update->getPointerOperand());
    visit_store(context, update->getValOperand(), update->getPointerOperand());
  } else if (const auto* gep = llvm::dyn_cast<llvm::GetElementPtrInst>(&inst)) {
    solver_.add_shift(
        node(gep->getPointerOperand(), context), node(gep, context),
        shift_of(*llvm::cast<llvm::GEPOperator>(gep), module_.getDataLayout(), is_loop_increment(gep)));
  } else if (const auto* binary = llvm::dyn_cast<llvm::BinaryOperator>(&inst)) {
    visit_arithmetic(context, *binary);
  } else if (const auto* result = llvm::dyn_cast<llvm::ReturnInst>(&inst)) {
    if (result->getReturnValue() && may_hold_pointer(result->getReturnValue()->getType()))
      solver_.add_copy(node(result->getReturnValue(), context), return_node(instance));
  } else if (llvm::isa<llvm::LandingPadInst>(inst)) {
    solver_.add_copy(exceptions_, node(&inst, context));
  } else if (llvm::isa<llvm::VAArgInst>(inst)) {
    unmodelled_.insert("va_arg as an instruction");
  } else {
    copy_operands(context, inst);
  }
}

} // namespace footrace::prove
