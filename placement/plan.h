// The check plan: what to do about every access of a function. Facts go in, emission comes out; a preset is a
// function that makes a plan.
//
// Every access of the function is in exactly one of four states:
//   left out          `left_out` says why it cannot race (or was covered in the early phase)
//   checked itself    `covered_by` is one check whose shape is Own and whose `own` is this access
//   checked elsewhere `rule` is Requires or Ensures: a caller or a callee has checked it in this span
//   covered           `covered_by` are other checks; on every path one of them covers it in the paper's sense, and `rule`
//                     says by which rule of the papers the access lost its own check
// SCEVs belong to the function's ScalarEvolution: they live until the function changes, so expand all of them first.
#pragma once

#include "facts/closed_globals.h"
#include "facts/escape.h"

#include <array>
#include <vector>

namespace llvm {
class BasicBlock;
class raw_ostream;
class SCEV;
} // namespace llvm

namespace footrace {

// The rule by which an access has no check of its own, in the words of the papers.
enum class Rule : uint8_t {
#define FR_RULE(id, name) id,
#include "placement/rules.def"
};
inline constexpr unsigned rule_count = 0
#define FR_RULE(id, name) +1
#include "placement/rules.def"
    ;
const char* name_of(Rule rule);

// Why checks stay where they are, other than for the reasons of the papers.
enum class Fallback : uint8_t {
#define FR_FALLBACK(id, text) id,
#include "placement/fallbacks.def"
};
inline constexpr unsigned fallback_count = 0
#define FR_FALLBACK(id, text) +1
#include "placement/fallbacks.def"
    ;
const char* text_of(Fallback fallback);

// Where a check runs. An edge that is not critical may also be realised at the end or start of a block. Edges out of
// indirect branches and into landing pads never occur.
struct Position {
  llvm::Instruction* before = nullptr; // right before this instruction
  llvm::BasicBlock* from = nullptr;    // `before` is null: on the edges from -> to
  llvm::BasicBlock* to = nullptr;

  friend bool operator==(const Position&, const Position&) = default;
};

enum class Shape : uint8_t {
  Own,   // access `own` as its instruction makes it, before that instruction
  Fixed, // `size` bytes at `base` + `offset`
  Range, // `length` bytes at `start`; the length may be 0 at run time, never negative
  Strided, // `count` elements of `size` bytes (or `length`, if set), the first at `start`, each `stride` bytes after the
  // last; the stride may be negative or 0, the count may be 0
};

// What a check stands for beyond its own bytes (placement/proxies.h).
struct Proxied {
  GlobalBytes bytes;
  GlobalBytes proxy; // bytes of the check: they race if and only if these do
  // Those that touch the bytes and where in the variable they begin, for reports.
  llvm::SmallVector<std::pair<unsigned, uint64_t>, 2> accesses = {};
};

struct PlannedCheck {
  Shape shape = Shape::Own;
  AccessKind kind = AccessKind::Read; // Read or Write; Own: the kind of the access
  Position position = {};
  unsigned own = 0;
  llvm::Value* base = nullptr;
  int64_t offset = 0;
  uint64_t size = 0;
  uint64_t alignment = 1;             // Fixed: of the first byte, as far as it is known
  const llvm::SCEV* start = nullptr;  // a pointer
  const llvm::SCEV* length = nullptr; // an i64
  const llvm::SCEV* stride = nullptr; // an i64
  const llvm::SCEV* count = nullptr;  // an i64
  // What the check stands for: indices into Plan::accesses, in program order. Never empty.
  std::vector<unsigned> covers = {};
  // Of those, what a race at the check may be reported as: accesses that are made whenever the check runs. Empty: all.
  std::vector<unsigned> names = {};
  std::vector<Proxied> proxied = {};
};

// The check stands for the access, which touches bytes that it does not check.
bool has_proxy(const PlannedCheck& check, unsigned access);

struct PlannedAccess {
  Access access;
  std::optional<Reason> left_out = std::nullopt;
  llvm::SmallVector<unsigned, 1> covered_by = {}; // indices into Plan::checks
  std::optional<Rule> rule = std::nullopt;        // set iff covered by checks of others
};

// A caller or a callee has checked it: `covered_by` may be empty.
bool has_check_elsewhere(const PlannedAccess& planned);

struct Plan {
  llvm::Function* function = nullptr;
  std::vector<PlannedAccess> accesses = {}; // in the order of the instructions
  std::vector<PlannedCheck> checks = {};    // those of one position in the order in which they are to run

  std::array<uint64_t, fallback_count> fallbacks = {};
  unsigned queries_in_vain = 0; // of the solver, while the plan was made

  // True if the access is checked by itself.
  bool has_own_check(unsigned access) const;
  // Adds the access's own check.
  void check_itself(unsigned access);
  // What one check covers, others cover as well: it goes when drop_unused_checks is called.
  void replace_check(unsigned check, llvm::ArrayRef<unsigned> by);
  // Checks that cover nothing.
  void drop_unused_checks();
  void fall_back(Fallback why, uint64_t count = 1) { fallbacks[static_cast<unsigned>(why)] += count; }
};

// The accesses of the function and why some of them need no check; no checks yet. Functions without `sanitize_thread` keep
// their synchronisation, since other functions depend on it, and lose their plain checks.
Plan plan_accesses(llvm::Function& function, RaceFreedom& race_freedom);

// Preset fasttrack: a check at every access, except where it cannot race.
Plan plan_fasttrack(llvm::Function& function, RaceFreedom& race_freedom);

// One line per check and per access, for tests and explanations.
void print(const Plan& plan, llvm::raw_ostream& out);

// One line per kind of check, per rule, per reason and per fallback. seen = checked + covered + left out.
class PlanStats {
public:
  void add(const Plan& plan);
  void add(Fallback why, uint64_t count) { fallbacks_[static_cast<unsigned>(why)] += count; }
  void print(llvm::StringRef module_name) const;

private:
  std::array<uint64_t, access_kind_count> checked_{};
  std::array<uint64_t, rule_count> covered_{};
  std::array<uint64_t, reason_count> left_out_{};
  std::array<uint64_t, 4> combined_{}; // checks by shape
  std::array<uint64_t, fallback_count> fallbacks_{};
};

} // namespace footrace
