// The concrete semantics of the intermediate language (RacerDX, POPL'19, Figures 5 and 6), as an interpreter of two
// threads that take one step at a time. Written from the definitions: nothing of scan/domain is used here.
// Deviations: a pointer may point to a part of an object (C++), following a pointer reads it, and there may be several
// locks, also shared ones. A thread that is started runs when it is waited for, or not at all: of all schedules, that one
// suffices, because what is sought is an execution that exists. With one lock, no in-place fields and no addresses it is the paper's semantics.
#pragma once

#include "scan/il/il.h"

#include <array>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace footrace::scan::theorem {

using Location = unsigned; // of an object; Loc in the paper

// Addr = Loc x Field+; with no fields it is the object as a whole, which is what most pointers point to.
struct Address {
  Location object = 0;
  std::vector<il::Step> fields;
  bool operator==(const Address&) const = default;
  auto operator<=>(const Address&) const = default;
};

// One is the other or a part of it.
bool must_overlap(const Address& a, const Address& b);

// h : Addr -> value, total (well-behaved, Definition 5.2): what was never written holds the object's default.
class Heap {
public:
  static constexpr Location globals = 0,
                            elsewhere = 1; // `elsewhere` points to itself, and nothing else to the path
  Heap() : default_{elsewhere, elsewhere} {}

  Location make(Location points_to);
  Location make_fresh() { return make(Location(default_.size())); } // new(): its fields point to itself
  Address read(const Address& at) const;
  void write(const Address& at, Address value);

private:
  std::map<Address, Address> written_;
  std::vector<Location> default_; // per object, of fields that were not written
};

// One call on the stack S.
struct Frame {
  const il::Method* method = nullptr;
  unsigned block = 0;
  std::size_t index = 0; // of the next statement
  std::map<il::Root, Address> variables;
  std::optional<il::Root> result; // in the caller
};

// A call that was started on a thread of its own and has not been waited for.
struct Started {
  const il::Method* method = nullptr;
  std::vector<Address> actuals;
};

struct Thread {
  std::vector<Frame> stack; // innermost last; empty: finished
  std::vector<Started> started;
  // A2: locks are released in the reverse order, so that an unlock means the last lock, as the end of a scope does.
  std::vector<std::pair<Address, il::LockMode>> taken;
};

struct Holder {
  unsigned exclusive = 0, shared = 0;
};

struct State {
  std::array<Thread, 2> threads;
  Heap heap;
  std::map<Address, std::array<Holder, 2>> locks;
};

// What executing a statement reads and writes, in this state.
struct Touch {
  Address at;
  bool write = false;
};

class Semantics {
public:
  explicit Semantics(const il::Program& program);

  void call(Thread& thread, const il::Method& method, std::vector<Address> actuals,
            std::optional<il::Root> result) const;
  // The next statement; none at the end of a block, where a successor must be chosen.
  const il::Statement* next(const Thread& thread) const;
  std::vector<Touch> touches(const State& state, unsigned thread) const;
  // Figure 6: a lock that the other thread holds cannot be taken.
  bool may_step(const State& state, unsigned thread) const;
  void step(State& state, unsigned thread) const;
  // At the end of a block: to its i-th successor, or back to the caller if it has none.
  unsigned choices(const Thread& thread) const;
  void choose(Thread& thread, unsigned successor) const;

private:
  void run_started(Thread& thread) const;

  std::unordered_map<il::Name, const il::Method*> methods_;
};

} // namespace footrace::scan::theorem
