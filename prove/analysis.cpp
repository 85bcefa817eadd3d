#include "prove/analysis.h"

#include "prove/must_alias.h"

#include "llvm/ADT/BitVector.h"

namespace footrace::prove {
namespace {

using Clock = std::chrono::steady_clock;

// Writes the statistics of a stage when it is left.
class StageRun {
public:
  StageRun(Analysis& analysis, Stage stage, const AnalysisOptions& options)
      : analysis_(analysis), stage_(stage), options_(options), begin_(Clock::now()) {
    options.progress(name_of(stage));
  }
  ~StageRun() {
    options_.after_stage(stage_, analysis_.remaining);
    StageStatistics left = {analysis_.remaining.size(), count_pairs(analysis_.remaining, *analysis_.accesses),
                            std::chrono::duration<double>(Clock::now() - begin_).count()};
    for (const Crowd& crowd : analysis_.crowds) left.tuples += crowd.tuples, left.pairs += crowd.pairs;
    analysis_.statistics[static_cast<unsigned>(stage_)] = left;
    options_.finished(stage_, analysis_);
  }

private:
  Analysis& analysis_;
  Stage stage_;
  const AnalysisOptions& options_;
  Clock::time_point begin_;
};

llvm::BitVector crowded_accesses(const Analysis& analysis) {
  llvm::BitVector crowded(static_cast<unsigned>(analysis.accesses->all().size()));
  for (const Crowd& crowd : analysis.crowds)
    for (AccessId id : crowd.accesses) crowded.set(id);
  return crowded;
}

// Accesses that are in a tuple that is left, or in a crowd.
llvm::BitVector remaining_accesses(const Analysis& analysis) {
  llvm::BitVector remaining = crowded_accesses(analysis);
  for (const Tuple& tuple : analysis.remaining) remaining.set(tuple.a), remaining.set(tuple.b);
  return remaining;
}

LocationSet written_in_parallel(const Analysis& analysis) {
  const Memory& memory = analysis.pointers->memory();
  std::set<ObjectId> objects;
  const llvm::BitVector remaining = remaining_accesses(analysis);
  for (AccessId id : remaining.set_bits())
    if ((*analysis.accesses)[id].may_write())
      for (LocationId location : analysis.accesses->locations(id)) objects.insert(memory.object_of(location));
  LocationSet written;
  for (ObjectId object : objects)
    for (auto [offset, field] : memory[object].fields) written.set(memory.find(field));
  return written;
}

// Section 4: distinct locks, or distinct threads, imply distinct data.
void disjoint_reachability_stages(Analysis& analysis, const AnalysisOptions& options) {
  const PointsTo& pointers = *analysis.pointers;
  const Accesses& accesses = *analysis.accesses;
  Shapes shapes;
  HeapEffects effects(pointers, *analysis.executions, *analysis.equalities, shapes);
  Paths paths(pointers, *analysis.equalities);
  {
    StageRun run(analysis, Stage::LocalLock, options);
    LocalLock proof(pointers, accesses, *analysis.locks, *analysis.equalities, effects, paths);
    analysis.remaining = local_lock_stage(std::move(analysis.remaining), accesses, proof);
  }
  {
    StageRun run(analysis, Stage::LocalThread, options);
    LocalThread proof(pointers, accesses, *analysis.executions, *analysis.threads, effects, paths);
    analysis.remaining = local_thread_stage(std::move(analysis.remaining), accesses, proof);
  }
}

// Locks of the program's own making are taken for locks until one is given back by who may not hold it.
void find_locks(Analysis& analysis) {
  const PointsTo& pointers = *analysis.pointers;
  analysis.lock_words =
      std::make_unique<LockWords>(pointers, *analysis.accesses, *analysis.threads, *analysis.escape);
  do
    analysis.locks = std::make_unique<Locks>(pointers, *analysis.accesses, *analysis.executions,
                                             *analysis.equalities, *analysis.lock_words);
  while (analysis.lock_words->drop_unheld(*analysis.locks));
}

void transfer_through_queues(Analysis& analysis) {
  HandedOver handed_over(*analysis.pointers, *analysis.accesses, *analysis.threads, *analysis.escape,
                         *analysis.locks);
  analysis.handed_over = handed_over.objects();
  analysis.remaining = queue_transfer_stage(std::move(analysis.remaining), *analysis.accesses, handed_over);
}

// In a large program with crowds most memory is the pool, about which neither facts nor disjoint reachability could say anything.
bool is_worth_heap_analysis(const Analysis& analysis, const AnalysisOptions& options) {
  return analysis.crowds.empty() || analysis.pointers->instances().size() <= options.crowded_instance_limit;
}

// The conditional must not alias phase, given the races that must-alias facts may not rely on.
// Says whether it relied on the rest being free of races.
bool conditional_phase(Analysis& analysis, const RacySites& races, const LocationSet& written,
                       const AnalysisOptions& options) {
  const PointsTo& pointers = *analysis.pointers;
  const Accesses& accesses = *analysis.accesses;
  const bool is_worth_it = is_worth_heap_analysis(analysis, options);
  analysis.equalities = std::make_unique<Equalities>(
      is_worth_it ? must_alias_facts(pointers, accesses, written, races) : Equalities());
  bool relies_on_others = is_worth_it;
  std::optional<CreationLocks> creation_locks;
  {
    StageRun run(analysis, Stage::GlobalLock, options);
    find_locks(analysis);
    creation_locks.emplace(pointers, *analysis.threads, *analysis.locks);
    analysis.remaining =
        global_lock_stage(std::move(analysis.remaining), accesses, *analysis.locks, *creation_locks);
  }
  {
    StageRun run(analysis, Stage::Ordering, options);
    Ordering ordering(pointers, accesses, *analysis.executions, *analysis.threads, *analysis.escape,
                      *analysis.locks, *creation_locks, *analysis.equalities, races);
    analysis.remaining = ordering_stage(std::move(analysis.remaining), accesses, ordering);
    relies_on_others |= ordering.relies_on_races();
    if (options.assume_queue_transfer) transfer_through_queues(analysis);
  }
  if (is_worth_it)
    disjoint_reachability_stages(analysis, options);
  else
    for (Stage stage : {Stage::LocalLock, Stage::LocalThread}) StageRun(analysis, stage, options);
  return relies_on_others;
}

// Section 5.2: races kill must-alias facts, which may bring more races; until nothing changes.
void prove_remaining(Analysis& analysis, const AnalysisOptions& options) {
  const std::vector<Tuple> candidates = analysis.remaining;
  LocationSet written = written_in_parallel(analysis);
  RacySites races;
  while (true) {
    analysis.rounds++;
    analysis.remaining = candidates;
    const bool relies_on_others = conditional_phase(analysis, races, written, options);
    std::size_t known = races.size();
    const llvm::BitVector racing = remaining_accesses(analysis);
    for (AccessId id : racing.set_bits())
      races.insert({(*analysis.accesses)[id].instance, (*analysis.accesses)[id].inst});
    if (races.size() == known || !relies_on_others) return;
  }
}

// Where pointers may be handed over by accesses that order nothing.
LocationSet relaxed_locations(const Accesses& accesses) {
  LocationSet found;
  for (const Access& access : accesses.all())
    if (access.is_relaxed) found |= accesses.locations(access);
  return found;
}

LocationSet locations_of(const llvm::BitVector& some, const Accesses& accesses) {
  LocationSet found;
  for (AccessId id : some.set_bits()) found |= accesses.locations(id);
  return found;
}

void after_aliasing(Analysis& analysis, const AnalysisOptions& options) {
  const PointsTo& pointers = *analysis.pointers;
  const Accesses& accesses = *analysis.accesses;
  {
    StageRun run(analysis, Stage::Escaping, options);
    analysis.remaining = escaping_stage(std::move(analysis.remaining), pointers, accesses, *analysis.escape);
  }
  {
    StageRun run(analysis, Stage::MayHappenInParallel, options);
    analysis.remaining =
        may_happen_in_parallel_stage(std::move(analysis.remaining), accesses, *analysis.threads);
  }
  prove_remaining(analysis, options);
}

} // namespace

Analysis analyse(const llvm::Module& module, const AnalysisOptions& options) {
  Analysis analysis;
  options.progress("points-to");
  analysis.pointers = std::make_unique<PointsTo>(module, options.pointers);
  if (!analysis.pointers->solve()) {
    analysis.timed_out = true;
    return analysis;
  }
  const PointsTo& pointers = *analysis.pointers;
  analysis.accesses = std::make_unique<Accesses>(pointers);
  const Accesses& accesses = *analysis.accesses;
  analysis.executions = std::make_unique<Executions>(pointers);
  analysis.joins = std::make_unique<Joins>(pointers, accesses, *analysis.executions);
  analysis.threads = std::make_unique<Threads>(pointers, *analysis.joins, *analysis.executions);
  analysis.escape = std::make_unique<Escape>(pointers);
  StageStatistics aliasing;
  {
    StageRun run(analysis, Stage::Aliasing, options);
    Candidates candidates =
        aliasing_stage(pointers, accesses, *analysis.escape, *analysis.threads, options.crowd_limit);
    analysis.statistics[static_cast<unsigned>(Stage::Original)] = candidates.original;
    analysis.statistics[static_cast<unsigned>(Stage::Reachable)] = candidates.reachable;
    analysis.remaining = std::move(candidates.tuples);
    analysis.crowds = std::move(candidates.crowds);
    aliasing = candidates.aliasing;
  }
  // With the tuples of memory that only one thread uses, which were counted but not listed.
  StageStatistics& row = analysis.statistics[static_cast<unsigned>(Stage::Aliasing)];
  for (const Crowd& crowd : analysis.crowds) aliasing.tuples += crowd.tuples, aliasing.pairs += crowd.pairs;
  row = {aliasing.tuples, aliasing.pairs, row.seconds};
  // "Nobody knows the object yet" helps only if whoever learns of it is ordered after that: races and relaxed atomics
  // publish without order, which may bring more races.
  const std::vector<Tuple> candidates = analysis.remaining;
  analysis.escape->add_unordered_publications(relaxed_locations(accesses));
  // Crowds publish nearly everything: then nothing is taken to be unknown to others, and one round is enough.
  llvm::BitVector unordered(static_cast<unsigned>(accesses.all().size()), !analysis.crowds.empty());
  analysis.escape->add_unordered_publications(locations_of(unordered, accesses));
  do {
    analysis.remaining = candidates;
    after_aliasing(analysis, options);
  } while (analysis.escape->add_unordered_publications(locations_of(remaining_accesses(analysis), accesses)));
  return analysis;
}

} // namespace footrace::prove
