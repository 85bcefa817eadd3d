#include "prove/verdict.h"

#include "findings/names.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include <algorithm>

namespace footrace::prove {
namespace {

using findings::Finding;

findings::SourceLocation location_of(const llvm::DILocation& at) {
  std::string file = at.getFilename().str();
  if (!file.empty() && file.front() != '/' && !at.getDirectory().empty())
    file = at.getDirectory().str() + "/" + file;
  return {findings::readable_path(file), at.getLine(), at.getColumn()};
}

// Inlined functions are calls of the source program.
void append_frames(const llvm::Instruction& inst, findings::Stack& stack) {
  const llvm::DILocation* at = inst.getDebugLoc();
  if (!at) {
    findings::StackFrame frame;
    frame.function = findings::readable_name(inst.getFunction()->getName());
    stack.push_back(frame);
    return;
  }
  for (; at; at = at->getInlinedAt()) {
    findings::StackFrame frame;
    const llvm::DISubprogram* function = at->getScope()->getSubprogram();
    llvm::StringRef linkage =
        function->getLinkageName().empty() ? function->getName() : function->getLinkageName();
    frame.function = findings::readable_name(linkage);
    frame.linkage_name = linkage.str();
    frame.location = location_of(*at);
    frame.inlined = at->getInlinedAt() != nullptr;
    stack.push_back(frame);
  }
}

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
    finding.evidence = why_not_discharged(a, b);
    for (ObjectId object : common_objects(pointers_, *analysis_.accesses, a, b))
      if (pointers_.memory()[object].kind == ObjectKind::Heap ||
          pointers_.memory()[object].kind == ObjectKind::Stack)
        finding.evidence += "; in " + name_of_object(pointers_.memory()[object]);
    findings::seal(finding);
    return finding;
  }

private:
  // Different threads without a lock in common, rather than one kind of thread, or locks that could not be matched.
  bool is_likely(const Access& a, const Access& b) const {
    return pointers_.origin_of(a.instance) != pointers_.origin_of(b.instance) &&
           (analysis_.locks->held(a.instance, a.inst).empty() ||
            analysis_.locks->held(b.instance, b.inst).empty());
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
      append_frames(**call, to.stack);
    for (const HeldLock& lock : analysis_.locks->held(from.instance, from.inst))
      to.locks.push_back(held(lock));
    const Origin& origin = pointers_.contexts().origin(context.origin);
    if (origin.site) {
      findings::ThreadInfo thread;
      thread.number = number + 1;
      thread.name = findings::readable_name(origin.entry->getName());
      thread.parent = 0;
      append_frames(*origin.site, thread.created);
      finding.threads.push_back(thread);
      to.thread = thread.number;
    } else {
      to.thread = 0;
    }
    return to;
  }

  findings::HeldLock held(const HeldLock& lock) const {
    findings::HeldLock to;
    to.mode = lock.is_shared ? findings::LockMode::Shared : findings::LockMode::Exclusive;
    for (LocationId location : lock.locations) {
      if (!to.name.empty()) to.name += " or ";
      to.name += name_of_location(location);
    }
    return to;
  }

  std::string name_of_location(LocationId id) const {
    const Location& location = pointers_.memory().at(id);
    std::string name = name_of_object(pointers_.memory()[location.object]);
    return location.offset ? name + "+" + std::to_string(location.offset) : name;
  }

  static std::string name_of_object(const Object& object) {
    std::string name = object.kind == ObjectKind::Verifier ? "__VERIFIER_atomic" : "?";
    if (object.site && object.site->hasName() && llvm::isa<llvm::GlobalValue>(object.site))
      name = findings::readable_name(object.site->getName());
    else if (const auto* site = llvm::dyn_cast_or_null<llvm::Instruction>(object.site))
      name = (object.kind == ObjectKind::Heap ? "memory from line " : "local of line ") +
             std::to_string(site->getDebugLoc() ? site->getDebugLoc().getLine() : 0);
    return name;
  }

  std::optional<findings::Memory> memory(const Access& a, const Access& b) const {
    std::set<ObjectId> common = common_objects(pointers_, *analysis_.accesses, a, b);
    if (common.size() != 1) return std::nullopt;
    const Object& object = pointers_.memory()[*common.begin()];
    if (object.kind != ObjectKind::Global) return std::nullopt; // the evidence names the allocation
    findings::Memory memory;
    memory.region = findings::Region::Global;
    memory.name = findings::readable_name(object.site->getName());
    return memory;
  }

  std::string why_not_discharged(const Access& a, const Access& b) const {
    bool a_locked = !analysis_.locks->held(a.instance, a.inst).empty();
    bool b_locked = !analysis_.locks->held(b.instance, b.inst).empty();
    if (!a_locked && !b_locked)
      return "no lock is certain to be held at either access, and nothing orders them";
    if (!a_locked || !b_locked)
      return "no lock is certain to be held at one of the accesses, and nothing orders them";
    return "global-lock: no common lock; local-lock: the locks could not be tied to what is accessed; "
           "local-thread: the memory could not be tied to one thread";
  }

  const Analysis& analysis_;
  const PointsTo& pointers_;
};

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
  Verdict verdict;
  verdict.unmodelled.assign(analysis.pointers->unmodelled().begin(), analysis.pointers->unmodelled().end());
  if (analysis.timed_out) return verdict;
  Writer writer(analysis);
  std::set<std::string> seen;
  for (const Tuple& tuple : analysis.remaining) {
    Finding finding = writer.write(tuple);
    if (seen.insert(findings::defect_key(finding)).second) verdict.pairs.push_back(std::move(finding));
  }
  std::ranges::sort(verdict.pairs, {},
                    [](const Finding& pair) { return std::pair(pair.confidence, pair.summary); });
  if (!verdict.pairs.empty())
    verdict.outcome = Outcome::Pairs;
  else if (verdict.unmodelled.empty() || allow_unmodelled)
    verdict.outcome = Outcome::RaceFree;
  return verdict;
}

} // namespace footrace::prove
