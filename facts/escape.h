// What cannot race: memory that only one thread can reach, or that nobody writes.
//
// Every answer is a proof about all objects that the address may be based on; when an object is not
// recognised there is no reason and the access is checked.
#pragma once

#include "facts/accesses.h"

#include "llvm/ADT/DenseMap.h"

namespace llvm {
class GlobalVariable;
class Module;
} // namespace llvm

namespace footrace {

// Each proof can be switched off, so that a test can show that it is what removed a check.
struct RaceFreedomOptions {
  bool nonescaping_alloca = true;
  bool nonescaping_heap = true;
  bool constant = true;
  bool vtable = true;
  bool thread_local_storage = true;
  bool internal_global = true;
};

class RaceFreedom {
public:
  explicit RaceFreedom(RaceFreedomOptions options) : options_(options) {}

  // Why the access needs no check, or nothing if it may race.
  std::optional<Reason> reason(const Access& access);

private:
  std::optional<Reason> object_reason(const llvm::Value& object, const Access& access);
  bool may_escape(const llvm::Value& local); // a stack variable or a fresh allocation
  bool may_leave_thread(const llvm::GlobalVariable& variable);

  RaceFreedomOptions options_;
  llvm::DenseMap<const llvm::Value*, bool> escapes_;
  llvm::DenseMap<const llvm::GlobalVariable*, bool> leaves_thread_;
};

} // namespace footrace
