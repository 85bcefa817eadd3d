// Contexts of the points-to analysis. A context is an origin (the thread that runs) and the last k call sites in it.
//
// Paper 001 uses k-object sensitivity, where t and c of (t, c, e) are allocation contexts of `this`. C has no `this`:
// c is the call string, t the origin, which is where and as what the thread was created.
#pragma once

#include "llvm/ADT/DenseMap.h"

#include <cstdint>
#include <map>
#include <vector>

namespace llvm {
class CallBase;
class Function;
} // namespace llvm

namespace footrace::prove {

using ContextId = std::uint32_t;
using OriginId = std::uint32_t;
inline constexpr OriginId main_origin = 0;
inline constexpr ContextId main_context = 0;

struct Origin {
  const llvm::CallBase* site = nullptr;  // null: the main thread
  const llvm::Function* entry = nullptr; // null, but for the main thread: any function
  ContextId creator = main_context;
};

struct Context {
  OriginId origin = main_origin;
  // Innermost last; null stands for any call. Empty: the first function of the thread.
  std::vector<const llvm::CallBase*> calls;
  auto operator<=>(const Context&) const = default;
};

class Contexts {
public:
  // Beyond `origin_limit` kinds of threads, those that are created at one place are one kind, whoever creates them.
  Contexts(unsigned k, std::size_t origin_limit);

  ContextId call(ContextId caller, const llvm::CallBase* site);
  // The context of functions of this thread whose callers are not told apart.
  ContextId any_call(ContextId caller) { return intern({contexts_[caller].origin, {nullptr}}); }
  // The outermost context of the thread that runs in this one.
  ContextId root_of(ContextId id) { return intern({contexts_[id].origin, {}}); }
  // The context in which the thread starts. A thread that creates its like is one origin with it.
  ContextId spawn(ContextId creator, const llvm::CallBase* site, const llvm::Function* entry);

  const Context& operator[](ContextId id) const { return contexts_[id]; }
  OriginId origin_of(ContextId id) const { return contexts_[id].origin; }
  const Origin& origin(OriginId id) const { return origins_[id]; }
  std::size_t origin_count() const { return origins_.size(); }
  bool has_many_origins() const { return origins_.size() > origin_limit_; }
  std::size_t size() const { return contexts_.size(); }

private:
  ContextId intern(Context context);

  unsigned k_;
  std::size_t origin_limit_;
  std::vector<Context> contexts_;
  std::map<Context, ContextId> ids_;
  std::vector<Origin> origins_;
};

} // namespace footrace::prove
