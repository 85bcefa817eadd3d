#include "prove/verdict.h"

#include "findings/names.h"
#include "prove/describe.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

namespace footrace::prove {
namespace {

using findings::Finding;

class Writer {
public:
  explicit Writer(const Analysis& analysis) : analysis_(analysis), pointers_(*analysis.pointers) {}

  Finding write(const Tuple& tuple) {
    const Access &a = (*analysis_.accesses)[tuple.a], &b = (*analysis_.accesses)[tuple.b];
    Finding finding;
    finding.part = "prove";
    finding.level = findings::Level::Warning;
    finding.confidence = is_likely(a, b) ? findings::Confidence::Likely : findings::Confidence::Possible;
    finding.accesses = {access(a, 0, finding), access(b, 1, finding)};
    finding.memory = memory(a, b);
    finding.explanation = why_not_discharged(a, b);
    findings::seal(finding);
    return finding;
  }

  // The memory that both may touch.
  std::string objects_of(const Access& a, const Access& b) const {
    constexpr std::size_t most = 3;
    std::set<std::string> names;
    for (ObjectId object : common_objects(pointers_, *analysis_.accesses, a, b))
      names.insert(name_of_object(pointers_.memory()[object]));
    std::string text;
    std::size_t count = 0;
    for (const std::string& name : names)
      if (count++ < most) text += (text.empty() ? "" : " or ") + name;
    return count > most ? text + " or " + std::to_string(count - most) + " others" : text;
  }

private:
  // Different threads without a lock in common, rather than one kind of thread, or locks that could not be matched.
  bool is_likely(const Access& a, const Access& b) const {
    return pointers_.origin_of(a.instance) != pointers_.origin_of(b.instance) &&
           (locks_of(a).empty() || locks_of(b).empty());
  }

  findings::Access access(const Access& from, unsigned number, Finding& finding) {
    findings::Access to;
    bool writes = from.may_write();
    to.kind = from.kind == AccessKind::Free ? findings::AccessKind::Free
              : from.is_atomic
                  ? (writes ? findings::AccessKind::AtomicWrite : findings::AccessKind::AtomicRead)
                  : (writes ? findings::AccessKind::Write : findings::AccessKind::Read);
    to.size = from.size == unbounded ? 0 : from.size;
    append_frames(*from.inst, to.stack);
    const Context& context = pointers_.contexts()[pointers_.instances()[from.instance].context];
    for (auto call = context.calls.rbegin(); call != context.calls.rend(); ++call)
      if (*call) append_frames(**call, to.stack);
    for (const HeldLock& lock : locks_of(from)) to.locks.push_back(held(lock));
    const Origin& origin = pointers_.contexts().origin(context.origin);
    if (origin.site) {
      findings::ThreadInfo thread;
      thread.number = number + 1;
      thread.name = name_of_thread(origin);
      thread.parent = 0;
      append_frames(*origin.site, thread.created);
      finding.threads.push_back(thread);
      to.thread = thread.number;
    } else {
      to.thread = 0;
    }
    return to;
  }

  // None while the analysis has not come to them.
  LockSet locks_of(const Access& access) const {
    return analysis_.locks ? analysis_.locks->held(access.instance, access.inst) : LockSet();
  }

  std::string name_of_lock(const HeldLock& lock) const {
    std::string name;
    for (LocationId location : lock.locations)
      name += (name.empty() ? "" : " or ") + name_of_location(pointers_, location);
    return name;
  }

  findings::HeldLock held(const HeldLock& lock) const {
    findings::HeldLock to;
    to.mode = lock.is_shared ? findings::LockMode::Shared : findings::LockMode::Exclusive;
    to.name = name_of_lock(lock);
    return to;
  }

  std::optional<findings::Memory> memory(const Access& a, const Access& b) const {
    std::set<ObjectId> common = common_objects(pointers_, *analysis_.accesses, a, b);
    if (common.size() != 1) return std::nullopt;
    const Object& object = pointers_.memory()[*common.begin()];
    if (object.kind != ObjectKind::Global) return heap(object);
    findings::Memory memory;
    memory.region = findings::Region::Global;
    memory.name = findings::readable_name(object.site->getName());
    return memory;
  }

  static std::optional<findings::Memory> heap(const Object& object) {
    const auto* site = llvm::dyn_cast_or_null<llvm::Instruction>(object.site);
    if (object.kind != ObjectKind::Heap || !site) return std::nullopt;
    findings::Memory memory;
    memory.region = findings::Region::Heap;
    append_frames(*site, memory.allocated);
    return memory;
  }

  // What each stage would have needed.
  std::string why_not_discharged(const Access& a, const Access& b) const {
    std::string text = "escaping: " + objects_of(a, b) + " is known to more than one thread";
    text += "; may-happen-in-parallel: " + thread_of(a) + " and " +
            (pointers_.origin_of(a.instance) == pointers_.origin_of(b.instance) ? "another of its kind"
                                                                                : thread_of(b)) +
            " may run at once here";
    LockSet one = locks_of(a), two = locks_of(b);
    if (!analysis_.locks) return text + "; locks were not looked at";
    if (one.empty() || two.empty())
      return text + "; global-lock, local-lock: no lock is certain to be held at " +
             (one.empty() && two.empty() ? "either access" : "one of the accesses") + "; " + no_order + "; " +
             no_local_thread;
    return text + "; global-lock: " + listed(one) + " and " + listed(two) +
           " need not be the same lock; local-lock: distinct locks could not be shown to guard distinct "
           "memory; " +
           no_order + "; " + no_local_thread;
  }

  static std::string name_of_thread(const Origin& origin) {
    return origin.entry ? findings::readable_name(origin.entry->getName()) : "any function";
  }

  std::string thread_of(const Access& access) const {
    const Origin& origin = pointers_.contexts().origin(pointers_.origin_of(access.instance));
    if (!origin.site) return "the main thread";
    return "the thread of " + name_of_thread(origin) + " (created at " + place_of(*origin.site) + ")";
  }

  std::string listed(const LockSet& locks) const {
    std::string text;
    for (const HeldLock& lock : locks) text += (text.empty() ? "" : ", ") + name_of_lock(lock);
    return text;
  }

  static constexpr const char* no_order =
      "ordering: no barrier, latch, flag, semaphore, future or owner was seen to order them";
  static constexpr const char* no_local_thread =
      "local-thread: distinct threads could not be shown to use distinct memory";
  const Analysis& analysis_;
  const PointsTo& pointers_;
};

struct RankedPairs {
  std::vector<Finding> pairs;
  std::vector<PairGroup> groups;
};

std::vector<PairGroup> large_first(const std::map<std::string, std::size_t>& counts) {
  std::vector<PairGroup> groups;
  for (const auto& [memory, pairs] : counts) groups.push_back({memory, pairs});
  std::ranges::sort(groups, [](const PairGroup& a, const PairGroup& b) {
    return std::tie(b.pairs, a.memory) < std::tie(a.pairs, b.memory);
  });
  return groups;
}

// One tuple stands for all contexts of its pair.
RankedPairs write_pairs(const Analysis& analysis, std::size_t most) {
  struct Ranked {
    Finding pair;
    std::size_t place; // in its group
  };
  Writer writer(analysis);
  std::vector<Ranked> ranked;
  std::map<std::string, std::size_t> groups;
  std::set<std::pair<Expression, Expression>> expressions;
  std::set<std::string> seen;
  for (const Tuple& tuple : analysis.remaining) {
    const Access &a = (*analysis.accesses)[tuple.a], &b = (*analysis.accesses)[tuple.b];
    if (!expressions.insert(std::minmax(expression_of(a), expression_of(b))).second) continue;
    Finding finding = writer.write(tuple);
    if (!seen.insert(findings::defect_key(finding)).second) continue;
    ranked.push_back({std::move(finding), groups[writer.objects_of(a, b)]++});
    if (ranked.size() == most) break;
  }
  std::ranges::sort(ranked, {}, [](const Ranked& one) {
    return std::tuple(one.pair.confidence, one.place, one.pair.summary);
  });
  RankedPairs written;
  for (Ranked& one : ranked) written.pairs.push_back(std::move(one.pair));
  written.groups = large_first(groups);
  return written;
}

// Models of functions that the program calls.
std::string library_assumption(const PointsTo& pointers) {
  std::set<std::string> names;
  for (const LibraryFunction* function : pointers.library_functions()) names.insert(function->name.str());
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "" : "library functions do what prove/library.def says: " + text;
}

} // namespace

const char* name_of(Outcome outcome) {
  switch (outcome) {
  case Outcome::RaceFree:
    return "RACE-FREE";
  case Outcome::Pairs:
    return "PAIRS REMAIN";
  case Outcome::Unknown:
    break;
  }
  return "UNKNOWN";
}

Verdict conclude(const Analysis& analysis, bool allow_unmodelled) {
  return conclude(analysis, Program(), allow_unmodelled);
}

Verdict conclude(const Analysis& analysis, const Program& program, bool allow_unmodelled) {
  Verdict verdict;
  std::vector<std::string> missing(analysis.pointers->unmodelled().begin(),
                                   analysis.pointers->unmodelled().end());
  for (const std::string& name : program.code_without_ir)
    missing.push_back("the function " + findings::readable_name(name) + ", which was built without -fprove");
  if (analysis.timed_out) return verdict;
  verdict.assumptions = {"the program is the files that were given, and has no undefined behaviour but "
                         "races (docs/assumptions.md)"};
  if (std::string library = library_assumption(*analysis.pointers); !library.empty())
    verdict.assumptions.push_back(library);
  for (ObjectId object : analysis.handed_over)
    verdict.assumptions.push_back("by --assume=queue-transfer: who takes " +
                                  name_of_object(analysis.pointers->memory()[object]) +
                                  " out of a queue is the only one who has it");
  if (allow_unmodelled)
    for (const std::string& what : missing)
      verdict.assumptions.push_back("harmless by --allow-unmodelled: " + what);
  else
    verdict.unmodelled = std::move(missing);
  verdict.is_complete = verdict.unmodelled.empty();
  RankedPairs written = write_pairs(analysis, std::numeric_limits<std::size_t>::max());
  verdict.pairs = std::move(written.pairs);
  verdict.groups = std::move(written.groups);
  for (const Crowd& crowd : analysis.crowds)
    verdict.unmodelled.push_back(std::to_string(crowd.pairs) + " pairs of accesses to " +
                                 name_of_object(analysis.pointers->memory()[crowd.object]) +
                                 ": too many to compare one by one; some are listed");
  if (!verdict.pairs.empty())
    verdict.outcome = Outcome::Pairs;
  else if (verdict.is_complete && analysis.crowds.empty())
    verdict.outcome = Outcome::RaceFree;
  return verdict;
}

std::vector<Finding> pairs_so_far(const Analysis& analysis) {
  constexpr std::size_t most = 200; // more are no help to anybody, and cost time that the proof needs
  return write_pairs(analysis, most).pairs;
}

std::size_t count_confirmed(const Verdict& verdict) {
  return static_cast<std::size_t>(std::ranges::count_if(
      verdict.pairs, [](const Finding& pair) { return pair.confidence == findings::Confidence::Certain; }));
}

} // namespace footrace::prove
