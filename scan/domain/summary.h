// What a method does to what its caller can see: an element <W, L, A> of the domain (RacerDX, POPL'19, Section 4),
// rooted at formals and globals, and the value that it returns.
#pragma once

#include "scan/domain/accesses.h"
#include "scan/domain/lock_history.h"
#include "scan/domain/locks.h"
#include "scan/domain/wobbly.h"

#include <algorithm>
#include <set>

namespace footrace::scan::domain {

enum class Domain {
  Stability, // RacerDX: W
  Ownership, // RacerD: a method's own objects do not race
};

struct Options {
  Domain domain = Domain::Stability;
  Wobbling wobbling = Wobbling::Refined;
  bool windows = false; // accesses in the window of a turn (hand_off.h) are told apart from those outside
};

// Per callee: whether every call of it is in order, that is made with a lock held or while no other thread can see the
// object (it is being made, the threads are not started yet, or they have ended).
using CallsInOrder = std::map<il::Name, bool>;

// A formal is called, with these arguments and these locks.
struct Invocation {
  unsigned formal = 0;
  il::Name function; // if the formal's type tells; empty: whatever is passed
  std::vector<il::Value> actuals;
  LockState locks;
  Order order = Order::Unknown; // as in AccessKey
  bool operator==(const Invocation&) const = default;
  auto operator<=>(const Invocation&) const = default;
};

struct Summary {
  static constexpr std::size_t max_invocations = 8;
  // So many accesses of its callees a method takes over; the others are left out, which can only lose reports.
  static constexpr std::size_t max_taken_over = 1u << 18;

  WobblyPaths wobbly;
  LockState locks; // at the end, of a method entered without any
  LockHistory history;
  Accesses accesses;
  il::Value returned;                 // the same on every return, or Nothing
  Owned returned_owned = owned();     // RacerD
  bool returned_known = false;        // `returned` was set by a return
  bool returns = true;                // some run of it ends
  bool ends_program = false;          // none does, nor goes round for ever: exit() is all that is left
  bool spawns = false, joins = false; // it or a callee starts threads, waits for threads
  bool ends_threads = false;          // as FlowState::has_ended_threads()
  bool waits = false;                 // it or a callee waits at a condition variable
  Flags received, sent;               // by it or a callee, through atomics
  Window window;                      // at the end
  std::set<Invocation> invocations;   // of its formals, by it or a callee
  CallsInOrder calls;                 // no part of its effect
  bool left_out = false;              // accesses, because there are too many; no part of its effect

  bool invokes(unsigned formal) const {
    return std::ranges::any_of(invocations, [&](const Invocation& i) { return i.formal == formal; });
  }
  bool has_same_effect(const Summary& other) const {
    return wobbly == other.wobbly && locks == other.locks && history == other.history &&
           accesses.has_same_keys(other.accesses) && returned == other.returned &&
           returned_owned == other.returned_owned && returns == other.returns &&
           ends_program == other.ends_program && spawns == other.spawns && joins == other.joins &&
           ends_threads == other.ends_threads && waits == other.waits && received == other.received &&
           sent == other.sent && window == other.window && invocations == other.invocations;
  }
};

} // namespace footrace::scan::domain
