// Hand-off through atomics: a thread that has seen a flag may use what was written before the flag was set. Not in the
// paper, whose programs have one lock; here it only ever takes a reason to believe in a race away.
#pragma once

#include "scan/domain/substitution.h"
#include "scan/il/il.h"

#include <functional>
#include <set>
#include <vector>

namespace footrace::scan::domain {

// An atomic, and what it is seen or set to: "zero", "nonzero", or "any" where that is not known. Or something that threads wait at:
// "any" (semaphores, latches, barriers); or a condition variable, which orders what was done before taking a lock ("signalled")
// before what is done after waiting, and not what was done without a lock right before the "signal".
struct Flag {
  il::Path atomic;
  il::Name value;
  bool operator==(const Flag&) const = default;
  auto operator<=>(const Flag&) const = default;
};

// More of them make summaries long and say little.
class Flags {
public:
  static constexpr std::size_t max_flags = 4;

  void add(const Flag& flag); // keeps what a caller can see
  void add(const Flags& other);
  void add(const Flags& callee, const Substitution& actuals);
  void remove(const Flags& other); // whatever their values
  void take_lock();                // before a lock was taken: a signal becomes signalled
  bool has(const il::Path& atomic) const;
  const std::set<Flag>& all() const { return all_; }
  bool empty() const { return all_.empty(); }
  bool operator==(const Flags&) const = default;
  auto operator<=>(const Flags&) const = default;

private:
  std::set<Flag> all_;
};

// What the call receives or sends itself; nothing if it is another kind of call.
Flags received_by(const il::Call& call);
Flags sent_by(const il::Call& call);

// The time between sending through an atomic and receiving through it: whoever waited for it is at work meanwhile.
struct Window {
  Flags opened; // sent before, on some path
  Flags closed; // and then received, on some path

  void send(const Flags& flags);
  void receive(const Flags& flags);
  // After a call of something that receives these, and ends in that window.
  void call(const Flags& received, const Window& end, const Substitution& actuals);
  // A loop that receives may run zero times, so one path is enough.
  Flags open() const;
  bool operator==(const Window&) const = default;
  auto operator<=>(const Window&) const = default;
};
Window join(const Window& a, const Window& b);

// What an access follows and what follows it.
struct Turn {
  Flags received; // before it, on some path
  Flags sent;     // after it, on some path
  Flags open;     // it is in the window of these
  bool operator==(const Turn&) const = default;
  auto operator<=>(const Turn&) const = default;
};

std::size_t digest_of(const Flag& flag);
std::size_t digest_of(const Turn& turn);

// One has seen the flag that the other sets after its access. `a_root` and `b_root` denote one object.
bool may_be_handed_over(const Turn& a, const il::Root& a_root, const Turn& b, const il::Root& b_root);
// Between seeing a flag and setting that same one: the thread has been given its turn and gives it back. `other` does not run
// meanwhile, unless it is in the window of that flag.
bool has_own_turn(const Turn& turn, const il::Root& root, const Turn& other, const il::Root& other_root);

// What is sent from a statement on, if `after` is sent after it.
using SentBefore = std::function<Flags(unsigned block, std::size_t statement, Flags after)>;
// Per block and statement: what is sent after the statement. The last entry of a block is of its end.
std::vector<std::vector<Flags>> sent_after(const il::Method& method, const SentBefore& before);

} // namespace footrace::scan::domain
