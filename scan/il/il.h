// The intermediate language of scan: the language of RacerDX (POPL'19, Fig. 4) as data.
// A body is a graph of blocks whose branches are all taken (assumption A6: conditions are non-deterministic), so
// "if *" is a block with two successors and "while *" a cycle. Lowering from C++ lives in scan/frontend, the text
// form in text.h.
// Deviations: `this` is formal 0; locks have a path and a mode (the paper's single lock is the case of one path);
// a call may return a value; an argument may be the address of a path; globals exist (section 7.2).
#pragma once

#include "scan/il/path.h"

#include <optional>
#include <variant>
#include <vector>

namespace footrace::scan::il {

struct Location {
  Name file;
  unsigned line = 0;
  unsigned column = 0;
  bool operator==(const Location&) const = default;
  auto operator<=>(const Location&) const = default;
};

enum class ValueKind {
  Nothing, // no pointer that matters: numbers, nullptr, copies
  Path,    // what is stored at a path
  Address, // &path, or a reference bound to it
  New,     // a fresh object
};

struct Value {
  ValueKind kind = ValueKind::Nothing;
  Path path;
  bool operator==(const Value&) const = default;
  auto operator<=>(const Value&) const = default;
};

inline Value nothing() { return {}; }
inline Value value_of(Path path) { return {ValueKind::Path, std::move(path)}; }
inline Value address_of(Path path) { return {ValueKind::Address, std::move(path)}; }
inline Value fresh() { return {ValueKind::New, {}}; }

// target := value. Argument-normal form (Definition 5.12): a pointer that is stored in memory comes from a local.
struct Assign {
  Path target;
  Value value;
  bool operator==(const Assign&) const = default;
};

// The value at the path is looked at and not kept: if (p->x), f(p->x) for an int.
struct Use {
  Path path;
  bool operator==(const Use&) const = default;
};

enum class LockMode { Exclusive, Shared };
enum class LockAction {
  Acquire,
  Release,
  Assume, // held by contract from here to the end of the method: AssertHeld()
};

struct LockOp {
  LockAction action = LockAction::Acquire;
  LockMode mode = LockMode::Exclusive;
  // Acquire: try_lock(), and this is the branch on which it succeeded. Release: only if held, as ~unique_lock() does.
  bool attempt = false;
  Path lock;
  bool operator==(const LockOp&) const = default;
};

enum class CallKind {
  Plain,
  Spawn,    // runs on another thread, from now on
  Join,     // waits for threads to end: what they did is ordered before what follows
  Wait,     // waits at a condition variable for its turn
  Receive,  // an atomic is read, and what happens next depends on it; actuals[0] is its address
  Send,     // an atomic is written: whoever receives it may go on; actuals[0] is its address
  Hand,     // given to `to`, which may call it, then or later
  Dispatch, // of one of the targets of the slot `callee` (Program::slots); resolve_dispatch() makes it plain
  Invoke, // of what the caller passed as the formal that actuals[0] starts at; the other actuals are its arguments
};

// A function, or a closure with what it captured, that a call passes as one of its arguments.
struct Closure {
  unsigned formal = 0; // of the callee
  Name function;
  std::vector<Value> captured; // its first actuals
  bool operator==(const Closure&) const = default;
};

struct Call {
  std::optional<Root> result; // a local
  Name callee;                // Method::name; a callee without a body in the program is unknown
  std::vector<Value> actuals; // actuals[0] is `this` of a method that has one
  CallKind kind = CallKind::Plain;
  Name to = {}; // of Hand; empty: to somebody
  // Of Plain and Dispatch; of Spawn: it runs what its caller passed as that formal (expose_threads() tells).
  std::vector<Closure> closures = {};
  bool anew = false; // it has arguments, and none of them comes from what the caller was told
  bool operator==(const Call&) const = default;
};

struct Return {
  Value value;
  bool operator==(const Return&) const = default;
};

struct Statement {
  Location at;
  std::variant<Assign, Use, LockOp, Call, Return> what;
  bool operator==(const Statement&) const = default;
};

// Control goes to any of the successors; without one, the method returns.
struct Block {
  std::vector<Statement> statements;
  std::vector<unsigned> successors;
  bool operator==(const Block&) const = default;
};

enum class Visibility { Public, Protected, Private };

struct Formal {
  Name name;
  Name type; // class that it points or refers to; empty: not a class
  bool operator==(const Formal&) const = default;
};

// A lock that a contract names (REQUIRES, GUARDED_BY).
struct RequiredLock {
  Path lock;
  LockMode mode = LockMode::Exclusive;
  bool operator==(const RequiredLock&) const = default;
};

struct Method {
  Name name;     // unique in the program: overloads and templates apart
  Name shown;    // "Class::method", as reports print it
  Name of_class; // empty: a free function
  Location at;
  std::vector<Formal> formals; // `this` first, if has_this
  bool has_this = false;
  Visibility visibility = Visibility::Public;
  bool constructor = false, destructor = false;
  bool internal = false;              // lambda body, static helper: runs only when called from what we see
  bool thread_entry = false;          // given to std::thread, pthread_create, a pool
  bool startup = false;               // runs before there are threads: main, static initialisers
  std::vector<RequiredLock> required; // held by the caller
  Name ignored;                       // reason given by "footrace: ignore(reason)"; empty: not ignored
  Name body;                          // made by expose_threads(): the function that the thread runs
  std::vector<Block> blocks;          // entry is block 0
  bool operator==(const Method&) const = default;
};

struct Guard {
  Name field;
  RequiredLock by;      // rooted at `this`
  bool pointee = false; // what the field points to is guarded, not the field: PT_GUARDED_BY
  bool operator==(const Guard&) const = default;
};

struct Class {
  Name name;
  std::vector<Name> bases;
  bool has_lock = false;    // has a lock among its members, or one of its methods takes one
  bool thread_safe = false; // annotated: objects are meant to be shared
  std::vector<Guard> guards;
  std::vector<Name>
      optional_locks; // members that are taken somewhere only if the object is shared: shared ? &mutex : nullptr
  Name ignored;
  bool operator==(const Class&) const = default;
};

// A function that may be meant where the slot is called: an overrider of a virtual method, or a function that was stored in a
// field or variable of that name; or what is passed as that formal of the target, which stores it
// there: that is not followed as a call, and when it is called is known (scan/domain/concurrency.h).
struct Slot {
  Name name, target;
  std::optional<unsigned> formal = std::nullopt;
  bool operator==(const Slot&) const = default;
  auto operator<=>(const Slot&) const = default;
};

struct Program {
  std::vector<Class> classes;
  std::vector<Slot> slots;
  std::vector<Method> methods;
  bool operator==(const Program&) const = default;
};

} // namespace footrace::scan::il
