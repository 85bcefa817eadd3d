#include "prove/stages.h"

#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <set>

namespace footrace::prove {
namespace {

bool may_conflict(const Access& a, const Access& b) {
  return (a.may_write() || b.may_write()) && !(a.is_atomic && b.is_atomic);
}

template <class Keep> std::vector<Tuple> keep_if(std::vector<Tuple> tuples, Keep keep) {
  std::erase_if(tuples, [&](const Tuple& tuple) { return !keep(tuple); });
  return tuples;
}

// Pairs with at least one write among `reads` + `writes` accesses, an access and itself included.
// Numbers that are too large stay the largest.
std::uint64_t conflicting_pairs(std::uint64_t reads, std::uint64_t writes) {
  const std::uint64_t mixed = llvm::SaturatingMultiply(reads, writes);
  return llvm::SaturatingAdd(mixed, llvm::SaturatingMultiply(writes, writes + 1) / 2);
}

// Memory whose accesses are judged: not code, nor constants, nor what only library functions access. What the library or
// unknown code hands out is one object.
bool is_judged(const Object& object) {
  return may_be_written(object) && object.kind != ObjectKind::Specific &&
         object.kind != ObjectKind::Varargs && object.kind != ObjectKind::Verifier &&
         object.kind != ObjectKind::Thread;
}

struct Users {
  std::vector<AccessId> accesses;
  std::set<OriginId> origins;
};

Crowd crowd_of(ObjectId object, const std::vector<AccessId>& users, const Accesses& accesses) {
  std::uint64_t reads = 0, writes = 0;
  std::set<Expression> read_expressions, write_expressions;
  for (AccessId id : users) {
    bool may_write = accesses[id].may_write();
    (may_write ? writes : reads)++;
    (may_write ? write_expressions : read_expressions).insert(expression_of(accesses[id]));
  }
  return {object, users, conflicting_pairs(reads, writes),
          conflicting_pairs(read_expressions.size(), write_expressions.size())};
}

// Accesses from everywhere in the crowd, so few that all their tuples can be listed.
std::vector<AccessId> examples(const std::vector<AccessId>& crowd, std::uint64_t crowd_limit) {
  constexpr std::uint64_t most = 100;
  std::size_t wanted = static_cast<std::size_t>(std::min(most, crowd_limit));
  std::size_t step = crowd.size() / std::max<std::size_t>(1, wanted) + 1;
  std::vector<AccessId> chosen;
  for (std::size_t i = 0; i < crowd.size(); i += step) chosen.push_back(crowd[i]);
  return chosen;
}

} // namespace

const char* name_of(Stage stage) {
  static constexpr const char* names[] = {
      "original",    "reachable", "aliasing",   "escaping",    "may-happen-in-parallel",
      "global-lock", "ordering",  "local-lock", "local-thread"};
  return names[static_cast<unsigned>(stage)];
}

Candidates aliasing_stage(const PointsTo& pointers, const Accesses& accesses, const Escape& escape,
                          const Threads& threads, std::uint64_t crowd_limit) {
  Candidates found;
  std::uint64_t reads = 0, writes = 0;
  std::set<Expression> read_expressions, write_expressions;
  std::map<ObjectId, Users> by_object;
  for (AccessId id = 0; id < accesses.all().size(); id++) {
    const Access& access = accesses[id];
    (access.may_write() ? writes : reads)++;
    (access.may_write() ? write_expressions : read_expressions).insert(expression_of(access));
    std::set<ObjectId> objects;
    for (LocationId location : accesses.locations(id)) objects.insert(pointers.memory().object_of(location));
    for (ObjectId object : objects) {
      by_object[object].accesses.push_back(id);
      by_object[object].origins.insert(pointers.origin_of(access.instance));
    }
  }
  found.reachable = {conflicting_pairs(reads, writes),
                     conflicting_pairs(read_expressions.size(), write_expressions.size()), 0};
  std::uint64_t contexts = std::max<std::uint64_t>(1, pointers.contexts().size());
  std::uint64_t all_reads = read_expressions.size() + accesses.unreached();
  found.original = {conflicting_pairs(all_reads * contexts, write_expressions.size() * contexts),
                    conflicting_pairs(all_reads, write_expressions.size()), 0};
  std::uint64_t local_tuples = 0;
  for (const auto& [object, users] : by_object) {
    if (!is_judged(pointers.memory()[object])) continue;
    bool is_one_thread = users.origins.size() == 1 &&
                         !threads.may_run_together(*users.origins.begin(), *users.origins.begin());
    bool is_private = users.origins.size() == 1 && !escape.may_escape(object);
    std::uint64_t object_writes = static_cast<std::uint64_t>(
        llvm::count_if(users.accesses, [&](AccessId id) { return accesses[id].may_write(); }));
    if (is_one_thread || is_private) { // counted, but never listed: there may be very many
      local_tuples += conflicting_pairs(users.accesses.size() - object_writes, object_writes);
      continue;
    }
    std::vector<AccessId> listed = users.accesses;
    if (conflicting_pairs(users.accesses.size() - object_writes, object_writes) > crowd_limit) {
      found.crowds.push_back(crowd_of(object, users.accesses, accesses));
      listed = examples(users.accesses, crowd_limit);
    }
    for (std::size_t i = 0; i < listed.size(); i++)
      for (std::size_t j = i; j < listed.size(); j++)
        if (may_conflict(accesses[listed[i]], accesses[listed[j]]) &&
            accesses.may_alias(accesses[listed[i]], accesses[listed[j]]))
          found.tuples.push_back({listed[i], listed[j]});
  }
  std::sort(found.tuples.begin(), found.tuples.end());
  found.tuples.erase(std::unique(found.tuples.begin(), found.tuples.end()), found.tuples.end());
  found.aliasing = {found.tuples.size() + local_tuples, count_pairs(found.tuples, accesses), 0};
  return found;
}

std::vector<Tuple> escaping_stage(std::vector<Tuple> tuples, const PointsTo& pointers,
                                  const Accesses& accesses, const Escape& escape) {
  std::map<std::pair<InstanceId, Expression>, bool> published;
  auto may_be_published = [&](AccessId id) {
    const Access& access = accesses[id];
    auto [known, is_new] = published.try_emplace({access.instance, expression_of(access)}, true);
    if (is_new) known->second = escape.may_be_published(access);
    return known->second;
  };
  return keep_if(std::move(tuples),
                 [&](const Tuple& tuple) { return may_be_published(tuple.a) && may_be_published(tuple.b); });
}

std::vector<Tuple> may_happen_in_parallel_stage(std::vector<Tuple> tuples, const Accesses& accesses,
                                                const Threads& threads) {
  return keep_if(std::move(tuples), [&](const Tuple& tuple) {
    return threads.may_happen_in_parallel(accesses[tuple.a], accesses[tuple.b]);
  });
}

std::vector<Tuple> global_lock_stage(std::vector<Tuple> tuples, const Accesses& accesses, const Locks& locks,
                                     const CreationLocks& creation_locks) {
  return keep_if(std::move(tuples), [&](const Tuple& tuple) {
    LockSet one = locks.held(accesses[tuple.a].instance, accesses[tuple.a].inst);
    LockSet two = locks.held(accesses[tuple.b].instance, accesses[tuple.b].inst);
    for (const HeldLock& a : one)
      for (const HeldLock& b : two)
        if (a.must_be_global(b) && !(a.is_shared && b.is_shared)) return false;
    return !creation_locks.must_exclude(accesses[tuple.a], accesses[tuple.b]);
  });
}

std::vector<Tuple> ordering_stage(std::vector<Tuple> tuples, const Accesses& accesses,
                                  const Ordering& ordering) {
  return keep_if(std::move(tuples), [&](const Tuple& tuple) {
    return !ordering.must_be_ordered(accesses[tuple.a], accesses[tuple.b]);
  });
}

std::vector<Tuple> queue_transfer_stage(std::vector<Tuple> tuples, const Accesses& accesses,
                                        const HandedOver& handed_over) {
  return keep_if(std::move(tuples), [&](const Tuple& tuple) {
    return !handed_over.must_be_ordered(accesses[tuple.a], accesses[tuple.b]);
  });
}

std::vector<Tuple> local_lock_stage(std::vector<Tuple> tuples, const Accesses& accesses,
                                    const LocalLock& proof) {
  return keep_if(std::move(tuples), [&](const Tuple& tuple) {
    return !proof.must_exclude(accesses[tuple.a], accesses[tuple.b]);
  });
}

std::vector<Tuple> local_thread_stage(std::vector<Tuple> tuples, const Accesses& accesses,
                                      const LocalThread& proof) {
  return keep_if(std::move(tuples), [&](const Tuple& tuple) {
    return !proof.must_be_apart(accesses[tuple.a], accesses[tuple.b]);
  });
}

std::uint64_t count_pairs(const std::vector<Tuple>& tuples, const Accesses& accesses) {
  std::set<std::pair<Expression, Expression>> pairs;
  for (const Tuple& tuple : tuples) {
    Expression a = expression_of(accesses[tuple.a]), b = expression_of(accesses[tuple.b]);
    pairs.insert(a < b ? std::pair(a, b) : std::pair(b, a));
  }
  return pairs.size();
}

} // namespace footrace::prove
