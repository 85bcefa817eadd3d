#include "prove/proof_log.h"

#include "prove/describe.h"

#include <algorithm>
#include <iterator>

namespace footrace::prove {
namespace {

constexpr std::size_t most_tuples = 200000; // more would cost more than the proof
constexpr std::size_t most_names = 6;

std::set<std::string> common_locks(const Analysis& analysis, const Tuple& tuple) {
  std::set<std::string> names;
  const Accesses& accesses = *analysis.accesses;
  LockSet one = analysis.locks->held(accesses[tuple.a].instance, accesses[tuple.a].inst);
  LockSet two = analysis.locks->held(accesses[tuple.b].instance, accesses[tuple.b].inst);
  for (const HeldLock& a : one)
    for (const HeldLock& b : two)
      if (a.must_be_global(b))
        names.insert(a.single ? name_of_location(*analysis.pointers, *a.single)
                              : a.address.root->getName().str());
  return names;
}

std::string listed(const std::set<std::string>& names) {
  std::string text;
  std::size_t shown = 0;
  for (const std::string& name : names) {
    if (shown++ == most_names) return text + " and " + std::to_string(names.size() - most_names) + " more";
    text += (text.empty() ? "'" : ", '") + name + "'";
  }
  return text;
}

} // namespace

void ProofLog::finished(Stage stage, const Analysis& analysis) {
  if (stage != Stage::Aliasing) {
    const Stage before = static_cast<Stage>(static_cast<unsigned>(stage) - 1);
    std::vector<Tuple> gone;
    std::ranges::set_difference(left_[before], analysis.remaining, std::back_inserter(gone));
    Entry entry;
    entry.pairs = count_pairs(gone, *analysis.accesses);
    for (const Tuple& tuple : gone) {
      const Access &a = (*analysis.accesses)[tuple.a], &b = (*analysis.accesses)[tuple.b];
      for (ObjectId object : common_objects(*analysis.pointers, *analysis.accesses, a, b))
        entry.objects.insert(name_of_object(analysis.pointers->memory()[object]));
      if (stage == Stage::GlobalLock) entry.locks.merge(common_locks(analysis, tuple));
    }
    entries_[stage] = std::move(entry);
  }
  left_[stage].clear();
  if (analysis.remaining.size() <= most_tuples) left_[stage] = analysis.remaining;
}

std::vector<std::string> ProofLog::lines() const {
  std::vector<std::string> lines;
  for (const auto& [stage, entry] : entries_) {
    if (!entry.pairs) continue;
    std::string line = std::string(name_of(stage)) + ": " + std::to_string(entry.pairs) +
                       (entry.pairs == 1 ? " pair on " : " pairs on ") + listed(entry.objects);
    if (!entry.locks.empty()) line += " under " + listed(entry.locks);
    lines.push_back(line);
  }
  return lines;
}

} // namespace footrace::prove
