// The component A of the domain (RacerDX, POPL'19, Definition 4.2, Figure 7 `accs`): which shared paths a method
// reads and writes, and with which locks. Of several places that agree on all of that, the nearest is kept; of those that only differ in
// which locks were taken on the way, one stands for all.
// Deviation: following a pointer reads it, so x->f->g also reads x->f (Infer's RacerD does the same).
#pragma once

#include "scan/domain/call_chain.h"
#include "scan/domain/hand_off.h"
#include "scan/domain/interned.h"
#include "scan/domain/locks.h"
#include "scan/domain/ownership.h"
#include "scan/domain/substitution.h"

#include <functional>
#include <memory_resource>
#include <unordered_map>
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
  Interned<il::Path> path;
  AccessKind kind = AccessKind::Read;
  Interned<LockState> locks;
  Interned<Owned> unless; // racy unless this is owned; not_owned() in the stability domain
  Order order = Order::Unknown;
  // After a wait at a condition variable, on some path: tasks may have ended.
  bool waited = false;
  Interned<Turn> turn; // by atomics
  bool operator==(const AccessKey&) const = default;
  auto operator<=>(const AccessKey&) const = default;

  struct Hash {
    std::size_t operator()(const AccessKey& key) const;
  };
};

// Where it happens.
struct AccessPlace {
  CallChain calls;
  il::Location at;
  bool operator==(const AccessPlace&) const = default;
};

// In the order of their keys.
class Accesses {
public:
  using Entry = std::pair<AccessKey, AccessPlace>;
  // Longer paths come from recursion only.
  static constexpr std::size_t max_steps = 16;
  // With so many different locks (and orders, and turns) one path is read or written; those with the fewest locks are kept. This
  // bound comes first, and one path costs no other: what W removes from the stability domain makes no difference to it.
  static constexpr std::size_t max_variants = 32;
  // More of one method come from recursion and from calls that may mean many functions; the nearest are kept, by the length of their
  // chains of calls. The others are left out, which can only lose reports.
  static constexpr std::size_t max_accesses = 1u << 15;

  const std::vector<Entry>& all() const { return all_; }
  bool has_same_keys(const Accesses& other) const;
  // What all() gave. False: it is something else.
  bool restore(std::vector<Entry> all);

private:
  friend class AccessCollector;
  std::vector<Entry> all_;
};

// What becomes of accesses that only differ in which locks were taken on the way. These matter for the order of nested locks alone: more of
// them can only lose a report, fewer can only add one. A program with ten locks would have hundreds of such accesses to one place.
enum class Ways {
  Apart,  // they stay
  All,    // one, that has taken all of them: every report stays true
  Common, // one, that has taken what all of them have: RacerD's domain, which has all reports of the other
};

// Adds up the accesses of a method, in any order.
class AccessCollector {
public:
  // Changes an access, or says that it is not kept.
  using Change = std::function<bool(AccessKey&)>;

  // Keeps only shared paths: fml.
  void add(const AccessKey& key, const AccessPlace& place);
  // What a callee does at `place`.
  void add(const AccessKey& key, const CallSite& call, const AccessPlace& place);
  // The first of them, whatever the order in which they came; and whether there are more.
  Accesses take(Ways ways, const Change& change, bool* left_out = nullptr);
  Accesses take() {
    return take(Ways::Apart, [](AccessKey&) { return true; });
  }

private:
  std::pmr::monotonic_buffer_resource memory_; // hundreds of thousands come and go together
  std::pmr::unordered_map<AccessKey, AccessPlace, AccessKey::Hash> all_{&memory_};
};

// The reads and writes of one statement, with the reads that following pointers takes.
struct Touched {
  std::vector<std::pair<il::Path, AccessKind>> accesses;
};
Touched touched_by(const il::Statement& statement);

} // namespace footrace::scan::domain
