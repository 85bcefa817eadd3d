// The stages of paper 001, section 5.1, in order. Each takes the six-tuples (t1, c1, e1, t2, c2, e2) that are left and
// keeps those that it cannot rule out; a tuple is a pair of accesses in instances, which carry thread and context.
#pragma once

#include "prove/creation_locks.h"
#include "prove/escape.h"
#include "prove/handed_over.h"
#include "prove/local_lock.h"
#include "prove/local_thread.h"
#include "prove/locks.h"
#include "prove/ordering.h"
#include "prove/threads.h"

#include <functional>

namespace footrace::prove {

struct Tuple {
  AccessId a, b; // a <= b
  auto operator<=>(const Tuple&) const = default;
};

enum class Stage : std::uint8_t {
  Original,
  Reachable,
  Aliasing,
  Escaping,
  MayHappenInParallel,
  GlobalLock,
  Ordering, // not in the paper
  LocalLock,
  LocalThread,
};
inline constexpr unsigned stage_count = 9;
const char* name_of(Stage stage);

struct StageStatistics {
  std::uint64_t tuples = 0; // left after the stage
  std::uint64_t pairs = 0;  // distinct (e1, e2) among them
  double seconds = 0;
};

// Memory with more conflicting accesses than can be compared one by one: all of them are taken to race with each other.
// Some tuples are listed all the same, as examples.
struct Crowd {
  ObjectId object;
  std::vector<AccessId> accesses;
  std::uint64_t tuples, pairs;
};

// Conflicting accesses that may touch the same byte of memory that more than one thread may know.
struct Candidates {
  std::vector<Tuple> tuples;
  std::vector<Crowd> crowds;
  StageStatistics original, reachable, aliasing;
};
Candidates aliasing_stage(const PointsTo& pointers, const Accesses& accesses, const Escape& escape,
                          const Threads& threads, std::uint64_t crowd_limit);

std::vector<Tuple> escaping_stage(std::vector<Tuple> tuples, const PointsTo& pointers,
                                  const Accesses& accesses, const Escape& escape);
std::vector<Tuple> may_happen_in_parallel_stage(std::vector<Tuple> tuples, const Accesses& accesses,
                                                const Threads& threads);
std::vector<Tuple> global_lock_stage(std::vector<Tuple> tuples, const Accesses& accesses, const Locks& locks,
                                     const CreationLocks& creation_locks);
std::vector<Tuple> ordering_stage(std::vector<Tuple> tuples, const Accesses& accesses,
                                  const Ordering& ordering);
// Part of the ordering stage, if the user assumes it.
std::vector<Tuple> queue_transfer_stage(std::vector<Tuple> tuples, const Accesses& accesses,
                                        const HandedOver& handed_over);
std::vector<Tuple> local_lock_stage(std::vector<Tuple> tuples, const Accesses& accesses,
                                    const LocalLock& proof);
std::vector<Tuple> local_thread_stage(std::vector<Tuple> tuples, const Accesses& accesses,
                                      const LocalThread& proof);

std::uint64_t count_pairs(const std::vector<Tuple>& tuples, const Accesses& accesses);

} // namespace footrace::prove
