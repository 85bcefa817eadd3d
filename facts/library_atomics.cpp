// Calls of libatomic's entry points, as the front end emits them for atomics that have no instruction:
//   T __atomic_load_N(p, order)                       __atomic_load(size, p, result*, order)
//   void __atomic_store_N(p, value, order)            __atomic_store(size, p, value*, order)
//   T __atomic_exchange_N(p, value, order)            __atomic_exchange(size, p, value*, result*, order)
//   bool __atomic_compare_exchange_N(p, expected*, desired, success, failure)
//   bool __atomic_compare_exchange(size, p, expected*, desired*, success, failure)
//   T __atomic_fetch_OP_N / __atomic_OP_fetch_N(p, value, order)
// The object itself is accessed atomically; the buffers are read and written as plain memory.
#include "facts/accesses.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace footrace {
namespace {

class LibraryAtomic {
public:
  LibraryAtomic(CallBase& call, AccessList& out) : call_(call), out_(out) {}

  bool collect() {
    const Function* callee = call_.getCalledFunction();
    if (callee == nullptr || !callee->isDeclaration() || call_.isMustTailCall()) return false;
    StringRef name = callee->getName();
    if (!name.consume_front("__atomic_")) return false;
    if (name == "load" && has_arguments("SPPI")) {
      generic_size();
      buffer(AccessKind::Write, 2);
      return object(AccessKind::AtomicLoad, 1, 3);
    }
    if (name == "store" && has_arguments("SPPI")) {
      generic_size();
      buffer(AccessKind::Read, 2);
      return object(AccessKind::AtomicStore, 1, 3);
    }
    if (name == "exchange" && has_arguments("SPPPI")) {
      generic_size();
      buffer(AccessKind::Read, 2);
      buffer(AccessKind::Write, 3);
      return object(AccessKind::AtomicRmw, 1, 4);
    }
    if (name == "compare_exchange" && has_arguments("SPPPII") && call_.getType()->isIntegerTy()) {
      generic_size();
      buffer(AccessKind::Read, 2);
      buffer(AccessKind::Read, 3);
      object(AccessKind::AtomicCas, 1, 4, 5);
      buffer(AccessKind::Write, 2, Condition::CasFailed);
      return true;
    }
    return collect_sized(name);
  }

private:
  bool collect_sized(StringRef name) {
    auto [stem, digits] = name.rsplit('_');
    if (digits.getAsInteger(10, size_) ||
        (size_ != 1 && size_ != 2 && size_ != 4 && size_ != 8 && size_ != 16))
      return false;
    if (stem == "load" && has_arguments("PI")) return object(AccessKind::AtomicLoad, 0, 1);
    if (stem == "store" && has_arguments("PVI")) return object(AccessKind::AtomicStore, 0, 2);
    if (stem == "compare_exchange" && has_arguments("PPVII") && call_.getType()->isIntegerTy()) {
      buffer(AccessKind::Read, 1);
      object(AccessKind::AtomicCas, 0, 3, 4);
      buffer(AccessKind::Write, 1, Condition::CasFailed);
      return true;
    }
    if ((stem == "exchange" || stem.starts_with("fetch_") || stem.ends_with("_fetch")) &&
        has_arguments("PVI"))
      return object(AccessKind::AtomicRmw, 0, 2);
    return false;
  }

  // P pointer, I integer order, S integer size, V any value. An i128 value may be passed as two i64 halves or
  // in memory by some front ends; such a call does not match and stays an ordinary library call.
  bool has_arguments(StringRef shape) const {
    if (call_.arg_size() != shape.size()) return false;
    for (unsigned i = 0; i < shape.size(); ++i) {
      const Type* type = call_.getArgOperand(i)->getType();
      if (shape[i] == 'P' && !type->isPointerTy()) return false;
      if ((shape[i] == 'I' || shape[i] == 'S') && !type->isIntegerTy()) return false;
    }
    return true;
  }

  void generic_size() {
    if (auto* bytes = dyn_cast<ConstantInt>(call_.getArgOperand(0)))
      size_ = bytes->getZExtValue();
    else
      length_ = call_.getArgOperand(0);
  }

  Access access(AccessKind kind, unsigned argument) const {
    return {.inst = &call_,
            .kind = kind,
            .extent = length_ != nullptr ? Extent::RunTime : Extent::Fixed,
            .address = call_.getArgOperand(argument),
            .size = size_,
            .length = length_};
  }

  void buffer(AccessKind kind, unsigned argument, Condition condition = Condition::Always) {
    Access a = access(kind, argument);
    a.condition = condition;
    out_.push_back(a);
  }

  bool object(AccessKind kind, unsigned argument, unsigned order, unsigned failure = 0) {
    Access a = access(kind, argument);
    a.order = call_.getArgOperand(order);
    a.failure_order = failure != 0 ? call_.getArgOperand(failure) : nullptr;
    out_.push_back(a);
    return true;
  }

  CallBase& call_;
  AccessList& out_;
  uint64_t size_ = 0;
  Value* length_ = nullptr;
};

} // namespace

bool collect_library_atomic(CallBase& call, AccessList& out) { return LibraryAtomic(call, out).collect(); }

} // namespace footrace
