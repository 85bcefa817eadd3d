#include "detectors/all.h"

#include "detectors/atomizer/atomizer.h"
#include "detectors/basicvc/basicvc.h"
#include "detectors/djit/djit.h"
#include "detectors/empty/empty.h"
#include "detectors/eraser/eraser.h"
#include "detectors/fasttrack/fasttrack.h"
#include "detectors/goldilocks/goldilocks.h"
#include "detectors/multirace/multirace.h"
#include "detectors/shb/shb.h"
#include "detectors/singletrack/singletrack.h"
#include "detectors/slimstate/slimstate.h"
#include "detectors/syncp/syncp.h"
#include "detectors/threadlocal/threadlocal.h"
#include "detectors/velodrome/velodrome.h"

#include <algorithm>
#include <cctype>

namespace footrace::detectors {
namespace {

template <class D> std::unique_ptr<Detector> make(Partition partition) {
  return std::make_unique<D>(partition);
}

constexpr const char* kFirstRaces = "the first race of every byte, and no false alarm";
const Description kDetectors[] = {
    {"Empty", Guarantee::None, "reports nothing; what the others are compared with", make<Empty>},
    {"TL", Guarantee::None, "reports nothing; a prefilter: memory that one thread has used",
     make<ThreadLocal>},
    {"Eraser", Guarantee::Imprecise, "lock sets: false alarms, and misses before memory is shared",
     make<Eraser>},
    {"MultiRace", Guarantee::Imprecise, "no false alarm, but misses races before memory is shared",
     make<MultiRace>},
    {"Goldilocks", Guarantee::Precise, kFirstRaces, make<Goldilocks>},
    {"BasicVC", Guarantee::Precise, kFirstRaces, make<BasicVC>},
    {"DJIT+", Guarantee::Precise, kFirstRaces, make<Djit>},
    {"FastTrack", Guarantee::Precise, kFirstRaces, make<FastTrack>},
    {"SlimState", Guarantee::Precise, kFirstRaces, make<SlimState>},
    {"FastTrackCoarse", Guarantee::Imprecise, "one state for each object: false alarms between its parts",
     make<FastTrackCoarse>},
    {"SHB", Guarantee::Predictive, "all races of the trace, each with a reordering that makes it happen",
     make<Shb>},
    {"SyncP", Guarantee::Predictive,
     "all races of reorderings that keep reads and the order of critical sections; memory grows with the "
     "trace",
     make<SyncP>},
};

template <class D> std::unique_ptr<Checker> make_checker() { return std::make_unique<D>(); }

const CheckerDescription kCheckers[] = {
    {"Atomizer", "atomicity-violation", "blocks that are not atomic by reduction, imprecise as Eraser is",
     make_checker<Atomizer>},
    {"Velodrome", "atomicity-violation",
     "blocks of which this trace shows that they are not serialisable, precise", make_checker<Velodrome>},
    {"SingleTrack", "nondeterminism", "conflicts that fork, join and barriers do not order",
     make_checker<SingleTrack>},
};

template <class D> const D* find(std::span<const D> list, std::string_view name) {
  const auto equal = [](char a, char b) { return std::tolower(u8(a)) == std::tolower(u8(b)); };
  for (const D& d : list)
    if (const std::string_view known = d.name;
        std::equal(known.begin(), known.end(), name.begin(), name.end(), equal))
      return &d;
  return nullptr;
}

} // namespace

std::span<const Description> all_detectors() { return kDetectors; }

std::span<const CheckerDescription> all_checkers() { return kCheckers; }

const Description* find_detector(std::string_view name) { return find<Description>(kDetectors, name); }
const CheckerDescription* find_checker(std::string_view name) {
  return find<CheckerDescription>(kCheckers, name);
}

const char* name_of(Guarantee guarantee) {
  constexpr const char* names[] = {"none", "precise", "imprecise", "predictive"};
  return names[u32(guarantee)];
}

} // namespace footrace::detectors
