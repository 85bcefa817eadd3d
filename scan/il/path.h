// Access paths of RacerDX (POPL'19, Fig. 4: pi ::= x.f | pi.f), for C++.
// The paper's x.f always follows a pointer. C++ also has objects inside objects, so following a pointer is a step
// of its own: the paper's x.f is x->f, that is <deref> then <field f>, and x.f is a part of x itself.
#pragma once

#include "scan/il/name.h"

#include <compare>
#include <cstddef>
#include <string>
#include <vector>

namespace footrace::scan::il {

enum class RootKind { Formal, Global, Local };

// Where a path starts. `this` is formal 0 of a method that has one.
struct Root {
  RootKind kind = RootKind::Local;
  unsigned index = 0; // of a formal
  Name name;          // of a formal only for printing: it does not count in comparisons

  friend bool operator==(const Root& a, const Root& b) { return (a <=> b) == 0; }
  friend std::strong_ordering operator<=>(const Root& a, const Root& b) {
    if (auto order = a.kind <=> b.kind; order != 0) return order;
    return a.kind == RootKind::Formal ? a.index <=> b.index : a.name <=> b.name;
  }
};

inline Root formal(unsigned index, Name name) { return {RootKind::Formal, index, name}; }
inline Root global(Name name) { return {RootKind::Global, 0, name}; }
inline Root local(Name name) { return {RootKind::Local, 0, name}; }
// `id` tells variables of one name apart. One that is declared in the body of a loop is another one each time.
Root variable(const std::string& name, unsigned id, bool in_loop);
bool is_declared_in_loop(const Root& variable);

enum class StepKind {
  Deref,   // *p, and the use of a reference
  Field,   // .f
  Content, // the dummy field of section 7.2: what a container holds, and its size
  Element, // some element of an array or container: which one is unknown
};

struct Step {
  StepKind kind = StepKind::Deref;
  Name field;
  bool operator==(const Step&) const = default;
  auto operator<=>(const Step&) const = default;
};

inline Step deref() { return {StepKind::Deref, {}}; }
inline Step field(Name name) { return {StepKind::Field, name}; }
inline Step content() { return {StepKind::Content, {}}; }
inline Step element() { return {StepKind::Element, {}}; }

struct Path {
  Root root;
  std::vector<Step> steps;

  Path() = default;
  Path(Root start) : root(start) {}
  Path(Root start, std::vector<Step> way) : root(start), steps(std::move(way)) {}

  bool operator==(const Path&) const = default;
  auto operator<=>(const Path&) const = default;

  bool is_variable() const { return steps.empty(); }
  Path then(Step step) const;
  Path arrow(Name field_name) const { return then(deref()).then(field(field_name)); }
  Path dot(Name field_name) const { return then(field(field_name)); }
};

// Definition 6.1: pi is a prefix of pi'; proper when they differ.
bool is_prefix(const Path& prefix, const Path& path);
bool is_proper_prefix(const Path& prefix, const Path& path);
// Whether a pointer is followed in `path` after its first `from` steps.
bool has_deref_after(const Path& path, std::size_t from);
// One is the other or a part of it: no pointer is followed in between, so they share memory.
bool must_overlap(const Path& a, const Path& b);
// Shared memory can only be reached through a pointer, or is global; a formal's own storage is the callee's.
bool may_be_shared(const Path& path);
bool has_element(const Path& path);

// std::call_once(flag, f): f has this lock for itself, and whoever has passed the call keeps it as readers share a lock.
Path once_lock(const Path& flag);
bool is_once_lock(const Path& lock);
// if (!flag.exchange(true)): whoever sets an atomic first has this lock, the others go away. It keeps them apart from each
// other, and does not say that anything is meant to be protected.
Path ticket_lock(const Path& atomic);
bool is_ticket_lock(const Path& lock);
// if (number == 0): of the threads that run a function with different arguments, one has this lock: `role` says which.
Path role_lock(Name role);
bool is_role_lock(const Path& lock);
// Of whom is told by an argument: it is the role of a thread only as far as that is passed on from what the thread was told.
Path told_role_lock(Name role);
bool is_told_role_lock(const Path& lock);
// if (!made): of who finds a global, or a member of one, not to be set, in a function that sets it: its first use.
Path first_use_lock(const Path& variable);
// Of such a lock: it is the first use of this, or of the whole that this is a part of, or of a part of this.
bool is_first_use_of(const Path& lock, const Path& accessed);
bool is_first_use_lock(const Path& lock);
// The role of a thread that has seen that there are no others.
const Path& only_thread();
// Without the class.
std::string_view field_name(Name field);
// "Class" of "Class::name", "Class::name(int)" and "Class::name<N::T>".
std::string qualifier(Name name);
// "this->a.b[]", as a person writes it.
std::string describe(const Path& path);

} // namespace footrace::scan::il
