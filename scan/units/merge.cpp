#include "scan/units/merge.h"

#include <algorithm>

namespace footrace::scan::units {

void Merger::add(il::Program program) {
  for (il::Class& entry : program.classes) add_class(std::move(entry));
  for (const il::Slot& slot : program.slots)
    if (slots_.insert(slot).second) program_.slots.push_back(slot);
  for (il::Method& entry : program.methods) add_method(std::move(entry));
}

void Merger::add_class(il::Class entry) {
  auto [at, fresh] = classes_.try_emplace(entry.name, program_.classes.size());
  if (fresh) {
    program_.classes.push_back(std::move(entry));
    return;
  }
  il::Class& known = program_.classes[at->second];
  known.has_lock |= entry.has_lock; // a method that takes one may be in another unit
  known.thread_safe |= entry.thread_safe;
  if (known.bases.empty()) known.bases = std::move(entry.bases);
  if (known.guards.empty()) known.guards = std::move(entry.guards);
  for (il::Name lock : entry.optional_locks)
    if (std::ranges::find(known.optional_locks, lock) == known.optional_locks.end())
      known.optional_locks.push_back(lock);
  if (known.ignored.empty()) known.ignored = entry.ignored;
}

void Merger::add_method(il::Method entry) {
  auto [at, fresh] = methods_.try_emplace(entry.name, program_.methods.size());
  if (fresh) {
    program_.methods.push_back(std::move(entry));
    return;
  }
  il::Method& known = program_.methods[at->second];
  known.thread_entry |= entry.thread_entry;
  if (known.blocks.empty() && !entry.blocks.empty()) {
    entry.thread_entry |= known.thread_entry;
    known = std::move(entry);
  }
}

} // namespace footrace::scan::units
