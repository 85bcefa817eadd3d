#include "prove/library.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/IR/InstrTypes.h"

namespace footrace::prove {
namespace {

constexpr LibraryFunction table[] = {
#define FR_LIBRARY(name, role, letters, result) {name, Role::role, letters, result},
#include "prove/library.def"
#undef FR_LIBRARY
};

// Any value; pointers come from nowhere, so nothing is reached through them.
constexpr LibraryFunction nondeterministic{"__VERIFIER_nondet", Role::None, "", '-'};

const llvm::StringMap<const LibraryFunction*>& by_name() {
  static const llvm::StringMap<const LibraryFunction*> map = [] {
    llvm::StringMap<const LibraryFunction*> built;
    for (const LibraryFunction& function : table) built[function.name] = &function;
    return built;
  }();
  return map;
}

} // namespace

char LibraryFunction::letter(unsigned argument) const {
  if (letters.empty()) return '-';
  return argument < letters.size() ? letters[argument] : letters.back();
}

const LibraryFunction* find_library_function(llvm::StringRef name) {
  if (name.starts_with("__VERIFIER_nondet_")) return &nondeterministic;
  return by_name().lookup(name);
}

std::string library_state(llvm::StringRef name) {
#define FR_LIBRARY(function, role, letters, result)
#define FR_STATE(function, state)                                                                            \
  if (name == function) return "the static data of " state;
#define FR_STATE_READ(function, state) FR_STATE(function, state)
#include "prove/library.def"
#undef FR_LIBRARY
  return "";
}

bool only_reads_state(llvm::StringRef name) {
#define FR_LIBRARY(function, role, letters, result)
#define FR_STATE_READ(function, state)                                                                       \
  if (name == function) return true;
#include "prove/library.def"
#undef FR_LIBRARY
  return false;
}

bool is_standard_stream(llvm::StringRef variable) {
  return llvm::is_contained({"_ZSt3cin", "_ZSt4cout", "_ZSt4cerr", "_ZSt4clog", "_ZSt4wcin", "_ZSt5wcout",
                             "_ZSt5wcerr", "_ZSt5wclog"},
                            variable);
}

const LibraryFunction* library_function(const llvm::CallBase& call) {
  const auto* callee = llvm::dyn_cast<llvm::Function>(call.getCalledOperand()->stripPointerCasts());
  return callee && callee->isDeclaration() ? find_library_function(callee->getName()) : nullptr;
}

unsigned start_routine_argument(const LibraryFunction& spawn) { return spawn.name == "thrd_create" ? 1 : 2; }

llvm::ArrayRef<CopiedArguments> copied_arguments(Role role) {
  static constexpr CopiedArguments copy[] = {{0, 1}}, load[] = {{2, 1}}, store[] = {{1, 2}},
                                   exchange[] = {{3, 1}, {1, 2}}, compare[] = {{2, 1}, {1, 3}};
  switch (role) {
  case Role::Copy:
    return copy;
  case Role::AtomicLoad:
    return load;
  case Role::AtomicStore:
    return store;
  case Role::AtomicExchange:
    return exchange;
  case Role::AtomicCompare:
    return compare;
  default:
    return {};
  }
}

bool may_call_back_often(Role role) { return role == Role::Sort || role == Role::Search; }

bool may_acquire(Role role) {
  switch (role) {
  case Role::Join:
  case Role::JoinObject:
  case Role::Once:
  case Role::Lock:
  case Role::LockShared:
  case Role::TryLock:
  case Role::TryLockShared:
  case Role::LockVerifier:
  case Role::LockGuard:
  case Role::Wait:
  case Role::Barrier:
  case Role::LatchWait:
  case Role::AtomicLoad:
  case Role::AtomicStore:
  case Role::AtomicExchange:
  case Role::AtomicCompare:
    return true;
  default:
    return false;
  }
}

} // namespace footrace::prove
