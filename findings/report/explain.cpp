// What a finding means, in words: why these two accesses race under C++20, what protects the others of the same memory,
// and what might be done. Invariant: the first two parts say only what was seen; the third is marked as a suggestion.
#include "findings/report/picture.h"
#include "findings/report/writers.h"

#include <algorithm>
#include <map>

namespace footrace::findings {
namespace {

// "balance" of "this->account.balance": the part that all functions name alike.
std::string member_of(const Access& access) {
  if (access.use == "call") return {};
  std::string_view name = access.expression;
  return std::string(name.substr(name.find_last_of(".:*") + 1));
}

std::string class_of(const Access& access) {
  std::string function = function_of(access);
  std::size_t end = function.rfind("::");
  return end == std::string::npos ? "" : function.substr(0, end);
}

bool writes(const Access& access) {
  return access.kind == AccessKind::Write || access.kind == AccessKind::AtomicWrite ||
         access.kind == AccessKind::Free;
}

bool is_atomic(const Access& access) {
  return access.kind == AccessKind::AtomicRead || access.kind == AccessKind::AtomicWrite;
}

bool holds(const Access& access, const std::string& id) {
  return std::ranges::any_of(access.locks, [&](const HeldLock& lock) { return lock_name(lock) == id; });
}

// The one access was made by the thread that created the other's.
bool is_by_parent(const Finding& finding, const Access& child, const Access& parent) {
  if (!child.thread || !parent.thread) return false;
  return std::ranges::any_of(finding.threads, [&](const ThreadInfo& thread) {
    return thread.number == *child.thread && thread.parent == parent.thread;
  });
}

class Explanation {
public:
  Explanation(const Report& report, const Entry& entry, const WriteOptions& options)
      : report_(report), finding_(entry.finding), options_(options) {}

  std::string write() {
    title(rule_title(finding_) + " on " + subject_of(finding_));
    paragraph("ID " + finding_.fingerprint + "; " + evidence_text(finding_) +
              "; confidence: " + std::string(to_text(finding_.confidence)) + ".");
    if (finding_.accesses.size() < 2) {
      paragraph("The two accesses are not known, so there is nothing to explain.");
      return std::move(out_);
    }
    title("What happens");
    for (const Access& access : finding_.accesses) write_access(access);
    title("In which order");
    write_picture();
    title("Why this is a data race");
    why();
    title("What protects this memory elsewhere");
    protection();
    title("Suggestion (not verified: only you know what must hold together)");
    paragraph(advice_for(report_, finding_).text);
    if (!finding_.explanation.empty()) {
      title("What the analysis says");
      paragraph(finding_.explanation);
    }
    return std::move(out_);
  }

private:
  void title(const std::string& text) {
    if (!out_.empty()) out_ += '\n';
    out_ += options_.color ? "\033[1m" + printable(text) + "\033[0m\n" : printable(text) + '\n';
  }

  void paragraph(const std::string& text, std::size_t indent = 2, std::size_t first = 2) {
    std::string line(first, ' ');
    std::size_t used = 0;
    std::string clean = printable(text);
    for (std::size_t at = 0; at < clean.size();) {
      std::size_t end = std::min(clean.find(' ', at), clean.size());
      std::string word = clean.substr(at, end - at);
      at = end + 1;
      if (word.empty()) continue;
      if (used != 0 && line.size() + 1 + word.size() > 80) {
        out_ += line + '\n';
        line = std::string(indent, ' ');
        used = 0;
      }
      line += (used++ != 0 ? " " : "") + word;
    }
    if (used != 0) out_ += line + '\n';
  }

  std::string place(const SourceLocation& at) const {
    return to_text(SourceLocation{relative_path(at.file, options_.root), at.line, at.column}, true);
  }

  void write_access(const Access& access) {
    std::string who = access.thread ? thread_name(finding_, access) : "one thread";
    paragraph("- " + function_of(access) + " makes a " + use_text(access) +
                  (access.size ? " of " + counted(access.size, "byte") : "") + ", on " + who + ", with " +
                  locks_text(access) + ".",
              4);
    if (!access.location.file.empty()) paragraph("at " + place(access.location), 4, 4);
    if (access.excerpt.lines.empty() || access.location.line < access.excerpt.first ||
        access.location.line - access.excerpt.first >= access.excerpt.lines.size())
      return;
    out_ += "      " + std::to_string(access.location.line) + " | " +
            printable(access.excerpt.lines[access.location.line - access.excerpt.first]) + '\n';
  }

  void write_picture() {
    const Picture picture = picture_of(finding_);
    for (const std::string& line : picture_lines(picture)) out_ += "  " + printable(line) + '\n';
    paragraph(picture.note);
  }

  void why() {
    const Access &a = finding_.accesses[0], &b = finding_.accesses[1];
    if (a.kind == AccessKind::Free || b.kind == AccessKind::Free)
      paragraph("Giving memory back writes to all of it: the lifetime of every object in it ends there, and "
                "it may be "
                "given to somebody else at once.");
    if (finding_.memory && !finding_.memory->vtable.empty())
      paragraph("The memory is the first word of an object, the pointer to the virtual table of " +
                finding_.memory->vtable +
                ": constructors and destructors set it, virtual calls read it. Such a call may reach the "
                "function of "
                "another class, or none at all.");
    paragraph(
        "C++20 [intro.races]: two expressions conflict if one modifies a memory location and the other reads "
        "or modifies it. A program with two conflicting accesses in different threads, at least one of which "
        "is not "
        "atomic and neither of which happens before the other, has a data race, and its behaviour is "
        "undefined.");
    std::string kinds = writes(a) && writes(b) ? "Both accesses write"
                        : writes(a)            ? "The first access writes and the second reads"
                                               : "The second access writes and the first reads";
    std::string atomics =
        is_atomic(a) != is_atomic(b) ? ", only one of them is atomic" : ", neither is atomic";
    std::string same =
        finding_.part == "dynamic" || finding_.part == "replay"
            ? "In the run that was observed nothing ordered the two: no lock that both "
              "held, no atomic that one released and the other acquired, no creation or join of a thread."
        : finding_.part == "scan"
            ? "From the source, both may run at the same time and no lock is held at both."
            : "No proof was found that the two cannot run at the same time; that is not yet a race.";
    paragraph(kinds + atomics + ". " + same);
    if (is_by_parent(finding_, a, b) || is_by_parent(finding_, b, a))
      paragraph("One of the threads has created the other. What it did before that is ordered before the "
                "other thread; what "
                "it does afterwards is not, until it joins it.");
  }

  void protection() {
    std::vector<Protection> all = protections_of(report_, finding_);
    std::size_t with = static_cast<std::size_t>(std::ranges::count(all, true, &Protection::has_lock));
    if (with == 0) {
      paragraph("No access to it in these findings holds a lock. (Accesses that race with nothing are in no "
                "finding.)");
      return;
    }
    for (const Protection& one : all)
      paragraph("- " + one.use + " in " + one.function + " (" + place(one.location) + "): " + one.locks, 4);
  }

  const Report& report_;
  const Finding& finding_;
  const WriteOptions& options_;
  std::string out_;
};

// Entries about the same memory, of which a program may have thousands.
constexpr std::size_t most_related = 200;

std::vector<const Entry*> related_entries(const Report& report, const Finding& finding) {
  std::set<std::size_t> numbers;
  for (const std::string& key : memory_keys(finding)) {
    auto [first, last] = report.by_memory.equal_range(key);
    for (; first != last && numbers.size() < most_related; ++first) numbers.insert(first->second);
  }
  std::vector<const Entry*> entries;
  for (std::size_t number : numbers)
    if (report.entries[number].state != State::Fixed) entries.push_back(&report.entries[number]);
  return entries;
}

// The lock that one of the two holds and the other does not; else the one that most accesses to this memory hold and neither
// of these does.
std::string missing_lock(const Report& report, const Finding& finding) {
  std::map<std::string, std::size_t> held;
  for (const Entry* entry : related_entries(report, finding))
    for (const Access& access : entry->finding.accesses)
      for (const HeldLock& lock : access.locks) ++held[lock_name(lock)];
  std::string best;
  std::pair<bool, std::size_t> most;
  for (const auto& [name, count] : held) {
    auto holders = static_cast<std::size_t>(
        std::ranges::count_if(finding.accesses, [&](const Access& access) { return holds(access, name); }));
    std::pair<bool, std::size_t> rank(holders != 0, count);
    if (holders < finding.accesses.size() && rank > most) {
      most = rank;
      best = name;
    }
  }
  return best;
}

bool holds_shared(const Access& access, const std::string& id) {
  return std::ranges::any_of(access.locks, [&](const HeldLock& lock) {
    return lock_name(lock) == id && lock.mode == LockMode::Shared;
  });
}

// A lock of a table, as one for each bucket: of the same name here, and another object.
bool is_other_of_its_kind(const HeldLock& lock, const Access& other) {
  return lock.address != 0 && holds(other, lock_name(lock)) &&
         std::ranges::none_of(other.locks, [&](const HeldLock& one) { return one.address == lock.address; });
}

} // namespace

// Objects are told apart where it can be done: by the global's name, or by member, class and file.
std::set<std::string> memory_keys(const Finding& finding) {
  std::set<std::string> keys = variable_keys(finding);
  for (const Access& access : finding.accesses)
    if (std::string member = member_of(access); !member.empty())
      keys.insert("member " + class_of(access) + ' ' + member + ' ' +
                  std::string(file_name(access.location.file)));
  return keys;
}

// As above, but one member of two objects is two variables, as far as the source says which.
std::set<std::string> variable_keys(const Finding& finding) {
  std::set<std::string> keys = {"this " + finding.fingerprint};
  // Other programs have globals of the same name, and a global structure has members.
  if (finding.memory && !finding.memory->name.empty() && !finding.memory->location.file.empty() &&
      finding.memory->region == Region::Global)
    keys.insert("global " + finding.memory->name + ' ' + to_text(finding.memory->location, false) + '+' +
                std::to_string(finding.memory->address - finding.memory->begin));
  for (const Access& access : finding.accesses)
    if (access.use != "call" && !access.expression.empty())
      keys.insert("expression " + class_of(access) + ' ' + access.expression + ' ' +
                  std::string(file_name(access.location.file)));
  return keys;
}

std::vector<Protection> protections_of(const Report& report, const Finding& finding) {
  std::vector<Protection> all;
  for (const Entry* entry : related_entries(report, finding)) {
    for (const Access& access : entry->finding.accesses) {
      Protection one{function_of(access), use_text(access), locks_text(access), access.location,
                     !access.locks.empty()};
      if (std::ranges::none_of(all, [&](const Protection& other) {
            return other.location == one.location && other.locks == one.locks;
          }))
        all.push_back(std::move(one));
    }
  }
  return all;
}

Advice advice_for(const Report& report, const Finding& finding) {
  if (finding.accesses.size() < 2) return {"the accesses are not known.", ""};
  const Access &a = finding.accesses[0], &b = finding.accesses[1];
  if (std::string lock = missing_lock(report, finding); !lock.empty()) {
    std::string where;
    for (const Access& access : finding.accesses)
      if (!holds(access, lock) && where.find("in " + function_of(access)) == std::string::npos)
        where += (where.empty() ? "in " : " and in ") + function_of(access);
    return {"hold " + lock + " " + where + " too: other accesses to it do.", lock};
  }
  for (const HeldLock& lock : a.locks)
    if (is_other_of_its_kind(lock, b))
      return {"both hold " + lock_name(lock) + ", but not the same one: let one lock protect both.", ""};
  for (const HeldLock& lock : a.locks)
    if (holds_shared(a, lock_name(lock)) && holds_shared(b, lock_name(lock)))
      return {"take " + lock_name(lock) + " exclusively where memory is written: a shared lock lets both in.",
              lock_name(lock)};
  if (a.kind == AccessKind::Free || b.kind == AccessKind::Free)
    return {"let the memory live until the other access is done: join the thread first, or let both own it "
            "(std::shared_ptr).",
            ""};
  if (finding.rule == "vptr-race")
    return {"let no thread use the object before its constructor is done or after its destructor has begun: "
            "a thread that the "
            "object owns is joined in the destructor of the class that is made, not in that of its base.",
            ""};
  if (is_by_parent(finding, a, b) || is_by_parent(finding, b, a))
    return {
        "do it before the thread is created or after it is joined, or let one mutex protect both accesses.",
        ""};
  if (is_atomic(a) != is_atomic(b)) return {"make the access that is not atomic atomic as well.", ""};
  if (a.use == "update" && b.use == "update")
    return {"if it is a number that must only be counted right, make it std::atomic; if other data must "
            "agree with it, "
            "let one mutex protect both.",
            ""};
  if ((a.use == "write" && b.use == "read") || (a.use == "read" && b.use == "write"))
    return {"if it is a flag that tells that data is ready, make it std::atomic (store with release, load "
            "with acquire); "
            "else let one mutex protect both accesses.",
            ""};
  if (a.use == "call" || b.use == "call")
    return {"let one mutex protect every call that changes this object and every call beside it.", ""};
  return {"let one mutex protect both accesses.", ""};
}

std::string write_explanation(const Report& report, const Entry& entry, const WriteOptions& options) {
  return Explanation(report, entry, options).write();
}

} // namespace footrace::findings
