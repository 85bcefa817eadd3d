#include "findings/finding.h"

#include "findings/expression.h"
#include "findings/frames.h"

#include <algorithm>
#include <array>
#include <utility>

namespace footrace::findings {
namespace {

// Index i spells enumerator i.
constexpr std::array access_kinds = {"unknown", "read", "write", "atomic read", "atomic write", "free"};
constexpr std::array lock_modes = {"exclusive", "shared"};
constexpr std::array orders = {"unknown", "none", "earlier"};
constexpr std::array regions = {"unknown", "heap", "stack", "tls", "global"};
constexpr std::array levels = {"error", "warning", "note"};
constexpr std::array confidences = {"certain", "likely", "possible"};
constexpr std::array evidence_kinds = {"observed", "confirmed by a witness", "suspected", "not proved",
                                       "proved safe"};

template <class Enum, std::size_t n>
std::optional<Enum> find_spelling(const std::array<const char*, n>& spellings, std::string_view text) {
  for (std::size_t i = 0; i < n; ++i)
    if (text == spellings[i]) return static_cast<Enum>(i);
  return std::nullopt;
}

// FNV-1a: written out because fingerprints are stored in baselines and must never change with a library.
std::string hash_hex(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 0x100000001b3;
  }
  std::string digits(16, '0');
  for (int i = 15; i >= 0; --i, hash >>= 4)
    digits[static_cast<std::size_t>(i)] = "0123456789abcdef"[hash & 15];
  return digits;
}

void add_frame_key(const StackFrame& frame, std::string& key) {
  key += '\x1f';
  key += frame.linkage_name.empty() ? frame.function : frame.linkage_name;
  key += '\x1f';
  if (frame.location.line != 0)
    key += to_text(frame.location, false);
  else if (!frame.module.empty())
    key += module_text(frame.module, frame.offset);
}

// What library code does is told apart by the line that called it: two unprotected calls of vector::push_back
// race on half a dozen of its words and are one defect, but other calls of push_back are others.
std::string place_key(const Access& access) {
  std::string key = access.intercepted;
  if (has_user_frame(access))
    add_frame_key(access.stack[user_frame(access)], key);
  else
    for (const StackFrame& frame : access.stack) add_frame_key(frame, key);
  return key;
}

// Without lines and offsets, two variables raced on in one function would look like one: let the variable
// tell them apart.
bool has_vague_site(const Access& access) {
  if (access.stack.empty()) return true;
  const StackFrame& frame = access.stack[user_frame(access)];
  return frame.location.line == 0 && frame.offset == 0;
}

std::string variable_key(const Memory& memory) {
  std::string key =
      '\x1e' + memory.name + '\x1f' + std::string(to_text(memory.region)) + std::to_string(memory.size);
  if (memory.begin != 0) key += '+' + std::to_string(memory.address - memory.begin);
  return key;
}

// The read and the write of `x++` are one use, and whether a run sees the one or the other is chance. What a library
// function does with its argument is not in the user's source at all.
std::string use_key(const Access& access, bool blames_caller) {
  if (access.kind == AccessKind::Free) return "free";
  if (blames_caller || access.use == "call") return "call";
  bool is_atomic = access.kind == AccessKind::AtomicRead || access.kind == AccessKind::AtomicWrite;
  if (!access.use.empty() && !is_atomic) return access.use;
  return std::string(to_text(access.kind));
}

// The defect at one access, as every part of the toolkit would name it.
std::string site_key(const Access& access) {
  if (access.stack.empty()) return use_key(access, false) + '\x1f' + access.expression;
  const std::size_t user = user_frame(access);
  const StackFrame& frame = access.stack[user];
  return use_key(access, user != 0) + '\x1f' + std::string(file_name(frame.location.file)) + '\x1f' +
         plain_function(frame.function) + '\x1f' + access.expression;
}

std::string fingerprint_of(const Finding& finding) {
  std::vector<std::string> sites;
  bool named = true, vague = false;
  for (const Access& access : finding.accesses) {
    sites.push_back(site_key(access));
    named &= !access.expression.empty();
    vague |= has_vague_site(access);
  }
  std::ranges::sort(sites);
  // The rules of scan say which lock is missing where, others what kind of race it is; what they are about is a data race.
  const bool is_race =
      finding.part == "scan" || finding.rule == "heap-use-after-free" || finding.rule == "vptr-race";
  std::string key = is_race ? "data-race" : finding.rule;
  for (const std::string& site : sites) key += '\x1e' + site;
  for (const std::string& source : finding.sources) key += '\x1e' + std::string(file_name(source));
  if (!named && finding.memory) key += vague ? variable_key(*finding.memory) : '\x1e' + finding.memory->name;
  return hash_hex(key);
}

EvidenceKind first_evidence(const Finding& finding) {
  if (finding.part == "scan") return EvidenceKind::Suspected;
  return finding.part == "prove" ? EvidenceKind::NotProved : EvidenceKind::Observed;
}

std::string summary_of(const Finding& finding) {
  std::string text = rule_title(finding);
  if (finding.accesses.empty()) return text;
  const Access& access = finding.accesses.front();
  if (access.stack.empty()) {
    if (!access.location.file.empty()) text += ' ' + to_text(access.location, false);
    return text;
  }
  const StackFrame& frame = access.stack[user_frame(access)];
  if (!frame.location.file.empty())
    text += ' ' + to_text(frame.location, false);
  else if (!frame.module.empty())
    text += " (" + module_text(frame.module, frame.offset) + ')';
  if (!frame.function.empty()) text += " in " + frame.function;
  return text;
}

} // namespace

std::string_view to_text(AccessKind kind) { return access_kinds[static_cast<std::size_t>(kind)]; }
std::string_view to_text(LockMode mode) { return lock_modes[static_cast<std::size_t>(mode)]; }
std::string_view to_text(Order order) { return orders[static_cast<std::size_t>(order)]; }
std::string_view to_text(Region region) { return regions[static_cast<std::size_t>(region)]; }
std::string_view to_text(Level level) { return levels[static_cast<std::size_t>(level)]; }
std::string_view to_text(Confidence confidence) { return confidences[static_cast<std::size_t>(confidence)]; }
std::string_view to_text(EvidenceKind kind) { return evidence_kinds[static_cast<std::size_t>(kind)]; }

template <> std::optional<AccessKind> from_text(std::string_view text) {
  return find_spelling<AccessKind>(access_kinds, text);
}
template <> std::optional<LockMode> from_text(std::string_view text) {
  return find_spelling<LockMode>(lock_modes, text);
}
template <> std::optional<Order> from_text(std::string_view text) {
  return find_spelling<Order>(orders, text);
}
template <> std::optional<Region> from_text(std::string_view text) {
  return find_spelling<Region>(regions, text);
}
template <> std::optional<Level> from_text(std::string_view text) {
  return find_spelling<Level>(levels, text);
}
template <> std::optional<Confidence> from_text(std::string_view text) {
  return find_spelling<Confidence>(confidences, text);
}
template <> std::optional<EvidenceKind> from_text(std::string_view text) {
  return find_spelling<EvidenceKind>(evidence_kinds, text);
}

// Kinds of data race that have a name of their own.
static std::string kind_of_race(const Finding& finding) {
  if (std::ranges::count(finding.accesses, AccessKind::Free, &Access::kind) != 0)
    return "heap-use-after-free";
  if (finding.memory && !finding.memory->vtable.empty()) return "vptr-race";
  return "data-race";
}

void seal(Finding& finding) {
  if (finding.rule == "data-race") finding.rule = kind_of_race(finding);
  for (Access& access : finding.accesses)
    if (!access.stack.empty()) access.location = access.stack[user_frame(access)].location;
  finding.fingerprint = fingerprint_of(finding);
  finding.summary = summary_of(finding);
  if (finding.evidence.empty()) finding.evidence = {{first_evidence(finding), 1}};
}

void add_evidence(Finding& finding, Evidence evidence) {
  auto at = std::ranges::lower_bound(finding.evidence, evidence.kind, {}, &Evidence::kind);
  if (at != finding.evidence.end() && at->kind == evidence.kind)
    at->count += evidence.count;
  else
    finding.evidence.insert(at, evidence);
}

std::string repetition_key(const Finding& finding) {
  std::vector<std::string> sites;
  bool vague = false;
  for (const Access& access : finding.accesses) {
    sites.push_back(std::string(to_text(access.kind)) + place_key(access));
    vague |= has_vague_site(access);
  }
  std::ranges::sort(sites);
  std::string key = finding.rule;
  for (const std::string& site : sites) key += '\x1e' + site;
  if (vague && finding.memory) key += variable_key(*finding.memory);
  return key;
}

std::string defect_key(const Finding& finding) {
  std::vector<std::string> places;
  for (const Access& access : finding.accesses)
    places.push_back(place_key(access) + '\x1f' + to_hex(access.address.value_or(0)) + '+' +
                     std::to_string(access.size));
  std::ranges::sort(places);
  std::string key = finding.rule;
  for (const std::string& place : places) key += '\x1e' + place;
  return key;
}

std::string object_name(const Memory& memory) {
  const std::string& whole = memory.name.empty() ? memory.type : memory.name;
  return whole.empty() ? std::string() : whole + memory.member;
}

std::string rule_title(const Finding& finding) {
  if (finding.rule == "heap-use-after-free") return "heap-use-after-free race";
  if (finding.rule == "write-write-race") return "write/write race";
  if (finding.rule == "read-write-race") return "read/write race";
  std::string title = finding.rule;
  std::ranges::replace(title, '-', ' ');
  return title;
}

std::string to_text(const SourceLocation& location, bool full_path) {
  std::string text(full_path ? std::string_view(location.file) : file_name(location.file));
  if (location.line == 0) return text;
  text += ':' + std::to_string(location.line);
  if (location.column != 0) text += ':' + std::to_string(location.column);
  return text;
}

std::string to_hex(std::uint64_t value) {
  std::string digits;
  do digits.insert(digits.begin(), "0123456789abcdef"[value & 15]);
  while (value >>= 4);
  return "0x" + digits;
}

std::string module_text(const std::string& module, std::uint64_t offset) {
  std::string text(file_name(module));
  if (offset != 0) text += '+' + to_hex(offset);
  return text;
}

std::string_view file_name(std::string_view path) { return path.substr(path.find_last_of('/') + 1); }

} // namespace footrace::findings
