// The one result type of the toolkit: what the runtime, the static analyses and the replayer all report, and
// what every writer prints. Plain data; docs/findings.md documents the JSON form and its version. Invariant:
// after seal(), `fingerprint`, `summary` and every access' `location` follow from the other fields.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace footrace::findings {

// Raised when a field changes its meaning or goes away; new optional fields do not raise it. Version 1 had
// fingerprints of lines, and its `evidence` was today's `explanation`.
inline constexpr unsigned schema_version = 2;

struct SourceLocation {
  std::string file; // empty: unknown
  unsigned line = 0;
  unsigned column = 0;
  bool operator==(const SourceLocation&) const = default;
};

struct StackFrame {
  std::string function;     // as a person writes it; empty: unknown
  std::string linkage_name; // as the linker sees it, when it differs
  SourceLocation location;
  std::string module;       // executable or library; empty: unknown
  std::uint64_t offset = 0; // address inside `module`, as llvm-symbolizer takes it; 0: unknown
  bool inlined = false;     // its code is part of the next frame's function
  bool operator==(const StackFrame&) const = default;
};

// Innermost first. A static finding keeps its chain of calls here: from the access out to the entry point.
using Stack = std::vector<StackFrame>;

enum class AccessKind { Unknown, Read, Write, AtomicRead, AtomicWrite, Free };
enum class LockMode { Exclusive, Shared };
enum class Region { Unknown, Heap, Stack, ThreadLocal, Global };
enum class Level { Error, Warning, Note };
enum class Confidence { Certain, Likely, Possible };
// What a finding rests on, the strongest first.
enum class EvidenceKind { Observed, Confirmed, Suspected, NotProved, ProvedSafe };

// What the first access knows of the thread of the second one.
enum class Order {
  Unknown,
  None,    // nothing that it did is ordered before the first access
  Earlier, // something that it did before the second access is
};

struct HeldLock {
  std::uint64_t address = 0;
  std::string name; // of the global that it is, or of the path a static analysis saw
  LockMode mode = LockMode::Exclusive;
  Stack taken;
  std::optional<unsigned> after = {}; // thread that has released it last before it was taken
  bool operator==(const HeldLock&) const = default;
};

// Lines of the source around an access, as they were when the finding was made.
struct Excerpt {
  unsigned first = 0; // number of the first line
  std::vector<std::string> lines;
  bool operator==(const Excerpt&) const = default;
};

struct Access {
  AccessKind kind = AccessKind::Unknown;
  std::uint64_t size = 0;
  std::optional<std::uint64_t> address; // absent in static findings
  std::optional<unsigned> thread;       // number of an entry in Finding::threads; 0 is the main thread
  std::optional<std::uint64_t> event;   // its number in the trace, from 1; of a replay
  std::string intercepted;              // library function that made the access for its caller
  SourceLocation location;              // innermost place in the user's own code
  std::string expression;               // what the source says is accessed there: "account.balance"
  std::string use;                      // read, write, update or call, as the source says; empty: not known
  Excerpt excerpt;
  Stack stack;
  bool stack_lost = false; // callers have aged out of the history
  std::vector<HeldLock> locks;
  bool locks_lost = false;
  bool operator==(const Access&) const = default;
};

struct Memory {
  Region region = Region::Unknown;
  std::uint64_t address = 0;
  std::uint64_t begin = 0;        // of the block or variable
  std::uint64_t size = 0;         // 0: unknown
  std::optional<unsigned> thread; // that allocated the block, or owns the stack
  bool freed = false;
  std::string name;        // of the variable
  std::string type;        // of what was allocated
  std::string member;      // of the variable or type: ".balance", "[3].name"
  SourceLocation location; // of its declaration
  std::string module;
  std::uint64_t offset = 0;
  std::string vtable; // class of the virtual table that it points to: it is an object's first word
  Stack allocated;
  bool operator==(const Memory&) const = default;
};

struct ThreadInfo {
  unsigned number = 0;
  std::string name;
  std::uint64_t os_id = 0;
  bool finished = false;
  std::optional<unsigned> parent;
  Stack created;
  std::optional<unsigned> joiner = {}; // thread that waits for its end, or has joined it
  bool joined = false;
  Stack join = {};
  bool operator==(const ThreadInfo&) const = default;
};

struct Evidence {
  EvidenceKind kind = EvidenceKind::Observed;
  std::uint64_t count = 1; // runs or analyses that say so
  bool operator==(const Evidence&) const = default;
};

struct Finding {
  unsigned schema = schema_version;
  std::string fingerprint; // equal for the same defect in every run, scan and proof
  std::string rule = "data-race";
  std::string part = "dynamic"; // of the toolkit: dynamic, replay, scan, prove
  Level level = Level::Error;
  Confidence confidence = Confidence::Certain;
  std::string summary;
  std::string program;
  std::uint64_t pid = 0;        // 0: no process
  std::vector<Access> accesses; // the current one first
  std::optional<Memory> memory;
  std::vector<ThreadInfo> threads;
  Order order = Order::Unknown;
  Stack slept; // where the thread of the first access slept after the second one: sleeping orders nothing
  std::string through; // Order::Earlier: the lock, atomic or the like that brought it last, if that is known
  std::vector<std::string> sources; // of "race-free": the files that the proof is about
  std::vector<Evidence> evidence;   // one entry of a kind, the strongest first
  std::string explanation;          // free text
  bool operator==(const Finding&) const = default;
};

// The spelling used in JSON and in the raw protocol; from_text gives nothing for an unknown spelling.
std::string_view to_text(AccessKind kind);
std::string_view to_text(LockMode mode);
std::string_view to_text(Region region);
std::string_view to_text(Order order);
std::string_view to_text(Level level);
std::string_view to_text(Confidence confidence);
std::string_view to_text(EvidenceKind kind);
template <class Enum> std::optional<Enum> from_text(std::string_view text);
template <> std::optional<AccessKind> from_text(std::string_view text);
template <> std::optional<LockMode> from_text(std::string_view text);
template <> std::optional<Region> from_text(std::string_view text);
template <> std::optional<Order> from_text(std::string_view text);
template <> std::optional<Level> from_text(std::string_view text);
template <> std::optional<Confidence> from_text(std::string_view text);
template <> std::optional<EvidenceKind> from_text(std::string_view text);

// Fills in what is derived. The fingerprint is made of the functions, the names of their files, what the source says is
// accessed (or the variable's name) and how; never of lines, columns, directories, addresses or thread numbers, and does
// not depend on the order of the accesses. docs/findings.md has the reasons.
void seal(Finding& finding);

// Adds what another run or analysis says about the same defect.
void add_evidence(Finding& finding, Evidence evidence);

// Equal for two findings of one process that nobody wants to read twice: same kinds at the same places, to the column.
// A fingerprint is too coarse for that, because it would drop a second race of a function on a like-named expression.
std::string repetition_key(const Finding& finding);

// Equal for two findings of one process that differ only in the kinds of the accesses: the read and the write
// of `x++` are one defect to whoever has to repair it.
std::string defect_key(const Finding& finding);

// "account.balance": the variable, or the type of the block, and the member of it that was accessed. Empty: not known.
std::string object_name(const Memory& memory);

// "data-race" -> "data race": the rule as it stands in a sentence.
std::string rule_title(const Finding& finding);
// "bank.cpp:12:15", as much of it as is known; `full_path` keeps the directory.
std::string to_text(const SourceLocation& location, bool full_path);
// "0x7f12".
std::string to_hex(std::uint64_t value);
// "a.out+0x12", or "a.out" when the offset is not known.
std::string module_text(const std::string& module, std::uint64_t offset);
// The last component of a path.
std::string_view file_name(std::string_view path);

} // namespace footrace::findings
