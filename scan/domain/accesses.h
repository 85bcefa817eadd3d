// The component A of the domain (RacerDX, POPL'19, Definition 4.2, Figure 7 `accs`): which shared paths a method
// reads and writes, and with which locks. Of several places that agree on all of that, the nearest is kept.
// Deviation: following a pointer reads it, so x->f->g also reads x->f (Infer's RacerD does the same).
#pragma once

#include "scan/domain/hand_off.h"
#include "scan/domain/locks.h"
#include "scan/domain/ownership.h"
#include "scan/domain/substitution.h"

#include <map>
#include <vector>

namespace footrace::scan::domain {

enum class AccessKind { Read, Write };

// What a method can tell about the threads that it starts and waits for, itself or in what it calls.
enum class Order {
  Unknown,
  BeforeStart, // of threads, on some path; those that somebody else started may be running
  Alone,       // and none are running: all were waited for, or this is where the first ones are started
};

// What is compared: <c, L>, and RacerD's precondition.
struct AccessKey {
  il::Path path;
  AccessKind kind = AccessKind::Read;
  LockState locks;
  Owned unless; // racy unless this is owned; not_owned() in the stability domain
  Order order = Order::Unknown;
  // After a wait at a condition variable, on some path: it may be this thread's turn.
  bool waited = false;
  Turn turn; // by atomics
  bool operator==(const AccessKey&) const = default;
  auto operator<=>(const AccessKey&) const = default;
};

struct CallSite {
  il::Name callee;
  il::Location at;
  bool operator==(const CallSite&) const = default;
  auto operator<=>(const CallSite&) const = default;
};

// Where it happens: the calls that lead to it, outermost first.
struct AccessPlace {
  std::vector<CallSite> calls;
  il::Location at;
  bool operator==(const AccessPlace&) const = default;
};

class Accesses {
public:
  // Longer paths come from recursion only.
  static constexpr std::size_t max_steps = 16;
  // So many of one method come from recursion through virtual calls; the others are left out, which can only lose reports.
  static constexpr std::size_t max_accesses = 4096;

  void add(AccessKey key, AccessPlace place); // keeps only shared paths: fml
  bool is_full() const { return all_.size() >= max_accesses; }
  const std::map<AccessKey, AccessPlace>& all() const { return all_; }
  bool has_same_keys(const Accesses& other) const;

private:
  std::map<AccessKey, AccessPlace> all_;
};

// The reads and writes of one statement, with the reads that following pointers takes.
struct Touched {
  std::vector<std::pair<il::Path, AccessKind>> accesses;
};
Touched touched_by(const il::Statement& statement);

} // namespace footrace::scan::domain
