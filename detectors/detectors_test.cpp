// What the papers say of their detectors, and what is known of them: false alarms and misses are pinned here, as examples with the nearest
// trace where they do not happen.
#include "detectors/all.h"
#include "events/feasibility.h"
#include "events/text.h"

#include <gtest/gtest.h>

namespace footrace::detectors {
namespace {

struct Outcome {
  std::vector<std::string> warnings; // "event@address+size"
  Cost cost;
  u64 rule(std::string_view name) const {
    for (const RuleCount& r : cost.rules)
      if (name == r.rule) return r.count;
    ADD_FAILURE() << "no rule " << name;
    return 0;
  }
};

Outcome run(const char* name, const std::string& text) {
  std::vector<Event> trace;
  auto error = parse_trace(text, trace);
  EXPECT_FALSE(error) << error->reason;
  EXPECT_EQ(first_infeasible(trace).reason, "");
  auto detector = find_detector(name)->make({});
  Outcome outcome;
  Verdict verdict;
  for (size_t i = 0; i < trace.size(); ++i) {
    verdict.clear();
    detector->step(trace[i], verdict);
    if (i + 1 == trace.size()) detector->finish(verdict);
    for (const Warning& w : verdict.warnings)
      outcome.warnings.push_back(std::to_string(i) + "@" + std::to_string(w.address) + "+" +
                                 std::to_string(w.size));
  }
  outcome.cost = detector->cost();
  return outcome;
}
bool warns(const char* name, const std::string& text) { return !run(name, text).warnings.empty(); }

constexpr const char* kPrecise[] = {"Goldilocks", "BasicVC", "DJIT+", "FastTrack", "SlimState"};

// FastTrack, section 2.2: the trace with one lock, and without its release and acquire.
TEST(Detectors, WritesUnderOneLock_AreNoRace) {
  for (const char* name : kPrecise) {
    EXPECT_FALSE(warns(name, "T0|acq(L0)\nT0|w(x)\nT0|rel(L0)\nT1|acq(L0)\nT1|w(x)\n")) << name;
    EXPECT_EQ(run(name, "T0|w(0x8,4)\nT1|acq(L0)\nT1|w(0x8,4)\n").warnings, std::vector<std::string>{"2@8+4"})
        << name;
  }
}

constexpr const char* kFigure4 =
    "T0|w(x)\nT0|fork(T1)\nT1|r(x)\nT0|r(x)\nT1|exit()\nT0|join(T1)\nT0|w(x)\nT0|r(x)\n";

TEST(FastTrack, Figure4_TakesTheRulesOfTheFigure) {
  const Outcome o = run("FastTrack", kFigure4);
  EXPECT_TRUE(o.warnings.empty());
  EXPECT_EQ(o.rule("read_exclusive"), 2u); // rd(1, x), and the last one, after R was reset
  EXPECT_EQ(o.rule("read_share"), 1u);     // rd(0, x)
  EXPECT_EQ(o.rule("write_exclusive"), 1u);
  EXPECT_EQ(o.rule("write_shared"), 1u); // wr(0, x) behind the join
}

TEST(FastTrack, Figure4_WithoutItsJoin_IsARace) {
  EXPECT_EQ(run("FastTrack", "T0|w(x)\nT0|fork(T1)\nT1|r(x)\nT0|r(x)\nT0|w(x)\n").warnings.size(), 1u);
}

// Table 2: what the epochs are for.
TEST(FastTrack, ExclusiveData_NeedsNoClocks_WhereDjitNeedsOneForEachVariable) {
  std::string text;
  for (int i = 0; i < 100; ++i)
    text += "T0|w(v" + std::to_string(i) + ")\nT0|r(v" + std::to_string(i) + ")\n";
  EXPECT_EQ(run("FastTrack", text).cost.clocks_allocated, 1u); // C_0
  EXPECT_EQ(run("DJIT+", text).cost.clocks_allocated, 201u);
  EXPECT_EQ(run("DJIT+", text).cost.clock_operations,
            100u); // W_x before each read; bottom is not compared
  EXPECT_EQ(run("FastTrack", text).cost.clock_operations, 0u);
}

TEST(Djit, SecondAccessOfAnEpoch_IsNotCompared) {
  const Outcome o = run("DJIT+", "T0|r(x)\nT0|r(x)\nT0|w(x)\nT0|w(x)\nT0|acq(L0)\nT0|rel(L0)\nT0|w(x)\n");
  EXPECT_EQ(o.rule("read_same_epoch"), 1u);
  EXPECT_EQ(o.rule("read"), 1u);
  EXPECT_EQ(o.rule("write_same_epoch"), 1u);
  EXPECT_EQ(o.rule("write"), 2u);
}

// Granularity, section 4: two fields of one object, each under its own lock.
constexpr const char* kTwoFields = "T0|alloc(0x1000,16)\nT0|fork(T1)\nT0|acq(L0)\nT0|w(0x1000,8)\nT0|rel(L0)"
                                   "\nT1|acq(L1)\nT1|w(0x1008,8)\nT1|rel(L1)\n";
TEST(FastTrackCoarse, FieldsUnderDifferentLocks_AreAFalseAlarm) {
  EXPECT_TRUE(warns("FastTrackCoarse", kTwoFields));
  EXPECT_FALSE(warns("FastTrack", kTwoFields));
}
TEST(FastTrackCoarse, TwoObjects_AreNotOne) {
  EXPECT_FALSE(
      warns("FastTrackCoarse",
            "T0|alloc(0x1000,8)\nT0|alloc(0x1008,8)\nT0|fork(T1)\nT0|w(0x1000,8)\nT1|w(0x1008,8)\n"));
  EXPECT_TRUE(
      warns("FastTrackCoarse", "T0|fork(T1)\nT0|w(0x1000,8)\nT1|w(0x1008,8)\n")); // unknown memory, one line
  EXPECT_FALSE(warns("FastTrackCoarse", "T0|fork(T1)\nT0|w(0x1000,8)\nT1|w(0x1040,8)\n"));
}
TEST(FastTrackCoarse, OneObject_HasOneState) {
  std::string text = "T0|alloc(0x1000,4096)\n";
  for (int i = 0; i < 512; ++i) text += "T0|w(" + std::to_string(0x1000 + 8 * i) + ",8)\n";
  EXPECT_LT(run("FastTrackCoarse", text).cost.memory * 10, run("FastTrack", text).cost.memory);
}

// SlimState: an array that is accessed as a whole, in blocks or in strides needs few states, and is as precise as FastTrack's.
std::string walk(const char* thread, const char* operation, int first, int last, int step) {
  std::string text;
  for (int i = first; i < last; i += step)
    text += std::string(thread) + "|" + operation + "(" + std::to_string(0x10000 + 8 * i) + ",8)\n";
  return text;
}
const std::string kArray = "T0|alloc(0x10000,8000)\nT0|fork(T1)\n";
constexpr const char* kEnd = "T0|exit()\nT1|exit()\n";

TEST(SlimState, WholeBlocksAndStrides_NeedFewStates) {
  const std::string whole = kArray + walk("T0", "w", 0, 1000, 1) + kEnd;
  const std::string blocks = kArray + walk("T0", "w", 0, 500, 1) + walk("T1", "w", 500, 1000, 1) + kEnd;
  const std::string strides = kArray + walk("T0", "w", 0, 1000, 2) + walk("T1", "w", 1, 1000, 2) + kEnd;
  for (const std::string& text : {whole, blocks, strides}) {
    EXPECT_TRUE(run("SlimState", text).warnings.empty());
    EXPECT_LT(run("SlimState", text).cost.memory * 20, run("FastTrack", text).cost.memory);
  }
  EXPECT_EQ(run("SlimState", strides).rule("strided"), 2u);
  EXPECT_EQ(run("SlimState", whole).rule("commit"), 1u); // of 1000 writes
  EXPECT_GT(run("SlimState", kArray + walk("T0", "w", 0, 1000, 3) + walk("T1", "w", 1, 1000, 7) + kEnd)
                .rule("refined"),
            0u);
}
TEST(SlimState, RaceOfOneElement_IsThatOfOneElement) {
  EXPECT_EQ(run("SlimState", kArray + walk("T0", "w", 0, 1000, 1) + walk("T1", "r", 7, 8, 1) + kEnd).warnings,
            std::vector<std::string>{"1004@" + std::to_string(0x10038) + "+8"});
  EXPECT_TRUE(run("SlimState", kArray + walk("T0", "w", 0, 1000, 2) + walk("T1", "w", 1, 1000, 2) + kEnd)
                  .warnings.empty());
  EXPECT_EQ(run("SlimState", kArray + walk("T0", "w", 0, 1000, 2) + walk("T1", "r", 0, 1000, 2) + kEnd)
                .warnings.size(),
            500u);
}

TEST(SlimState, ArrayThatHasRaced_IsPassedOnByThePrefilter) {
  std::vector<Event> trace;
  ASSERT_FALSE(parse_trace(
      kArray + "T0|w(0x10000,8)\nT0|acq(L0)\nT0|rel(L0)\nT1|w(0x10000,8)\nT1|acq(L0)\nT1|w(0x10000,8)\n",
      trace));
  auto detector = find_detector("SlimState")->make({});
  Verdict verdict;
  std::vector<bool> passed;
  for (const Event& e : trace)
    verdict.clear(), detector->step(e, verdict), passed.push_back(verdict.may_race);
  EXPECT_FALSE(passed[5]); // judged at the acquire
  EXPECT_TRUE(passed[7]);
}
TEST(SlimState, ThreadThatIsJoinedWithoutItsExit_HasBeenJudged) {
  EXPECT_TRUE(run("SlimState", kArray + "T1|w(0x10000,8)\nT0|join(T1)\nT0|w(0x10000,8)\nT0|exit()\n")
                  .warnings.empty());
  EXPECT_FALSE(run("SlimState", kArray + "T1|w(0x10000,8)\nT0|w(0x10000,8)\nT0|join(T1)\nT0|exit()\n")
                   .warnings.empty());
}

// Goldilocks, Figure 6 of its paper: an object goes from T1 to T3 through T2, who never touches it; T3 goes on without a lock.
constexpr const char* kIntBox = "T1|w(data)\nT1|acq(ma)\nT1|w(a)\nT1|rel(ma)\n"
                                "T2|acq(ma)\nT2|r(a)\nT2|rel(ma)\nT2|acq(mb)\nT2|w(b)\nT2|rel(mb)\n"
                                "T3|acq(mb)\nT3|w(data)\nT3|rel(mb)\nT3|w(data)\n";
// The same where T2 gives it on under another lock.
constexpr const char* kIntBoxRace = "T1|w(data)\nT1|acq(ma)\nT1|w(a)\nT1|rel(ma)\n"
                                    "T2|acq(ma)\nT2|r(a)\nT2|rel(ma)\nT2|acq(mc)\nT2|rel(mc)\n"
                                    "T3|acq(mb)\nT3|w(data)\nT3|rel(mb)\nT3|w(data)\n";
TEST(Goldilocks, OwnershipThroughAThirdThread_IsFollowed) {
  EXPECT_FALSE(warns("Goldilocks", kIntBox));
  EXPECT_TRUE(warns("Goldilocks", kIntBoxRace));
}
TEST(Eraser, OwnershipThroughAThirdThread_IsAFalseAlarm) { EXPECT_TRUE(warns("Eraser", kIntBox)); }

TEST(Goldilocks, LongListOfSynchronisation_IsCut) {
  std::string text = "T0|w(x)\n";
  for (int i = 0; i < 100000; ++i) text += "T1|acq(L1)\nT1|rel(L1)\n";
  EXPECT_LT(run("Goldilocks", text).cost.memory, 200000u);
  EXPECT_TRUE(warns("Goldilocks", text + "T1|w(x)\n"));
  EXPECT_FALSE(warns("Goldilocks", "T0|acq(L1)\nT0|rel(L1)\n" + text + "T0|acq(L1)\nT0|w(x)\n"));
}

// Eraser, section 2.2 and Figure 4 of its paper.
TEST(Eraser, ConsistentLock_IsNoAlarm_AndNoLockIsOne) {
  EXPECT_FALSE(warns("Eraser", "T0|acq(L0)\nT0|w(x)\nT0|rel(L0)\nT1|acq(L0)\nT1|w(x)\nT1|rel(L0)\n"));
  EXPECT_TRUE(warns(
      "Eraser", "T0|acq(L0)\nT0|w(x)\nT0|rel(L0)\nT1|acq(L1)\nT1|w(x)\nT1|rel(L1)\nT0|acq(L0)\nT0|w(x)\n"));
}
TEST(Eraser, ReadersLock_ProtectsReadsOnly) {
  const std::string first = "T0|acq(L0)\nT0|w(x)\nT0|rel(L0)\n";
  EXPECT_FALSE(warns(
      "Eraser", first + "T1|acq_shared(L0)\nT1|r(x)\nT1|rel_shared(L0)\nT0|acq(L0)\nT0|w(x)\nT0|rel(L0)\n"));
  EXPECT_TRUE(warns("Eraser", first + "T1|acq_shared(L0)\nT1|w(x)\nT1|rel_shared(L0)\n"));
}
TEST(Eraser, ReadSharedData_NeedsNoLockAfterItsInitialisation) {
  EXPECT_FALSE(warns("Eraser", "T0|w(x)\nT0|fork(T1)\nT1|r(x)\nT0|r(x)\n"));
  EXPECT_TRUE(warns("Eraser", "T0|w(x)\nT0|fork(T1)\nT1|r(x)\nT0|r(x)\nT0|w(x)\n"));
}
TEST(Eraser, ForkAndJoin_AreFalseAlarms) {
  EXPECT_TRUE(warns("Eraser", "T0|w(x)\nT0|fork(T1)\nT1|w(x)\nT1|exit()\nT0|join(T1)\nT0|w(x)\n"));
}
TEST(Eraser, Volatile_IsAFalseAlarm) {
  EXPECT_TRUE(warns("Eraser", "T0|w(x)\nT0|vol_w(V0)\nT1|vol_r(V0)\nT1|w(x)\n"));
}
TEST(Eraser, RaceWithTheFirstOwner_IsMissed) {
  const char* text = "T0|w(x)\nT1|acq(L0)\nT1|w(x)\nT1|rel(L0)\n";
  EXPECT_FALSE(warns("Eraser", text));
  EXPECT_TRUE(warns("FastTrack", text));
}
TEST(Eraser, Barrier_MakesMemoryVirgin) {
  const std::string both = "T0|w(x)\nT0|arrive(B0,1)\nT1|arrive(B0,1)\nT1|leave(B0,1)\nT0|leave(B0,1)\n";
  EXPECT_FALSE(warns("Eraser", both + "T1|w(x)\n"));
  EXPECT_TRUE(warns("Eraser", "T0|w(x)\nT1|w(x)\n"));
  EXPECT_FALSE(
      warns("Eraser", both + "T1|w(x)\nT1|arrive(B0,2)\nT0|arrive(B0,2)\nT0|leave(B0,2)\nT0|w(x)\n"));
  EXPECT_TRUE(warns("Eraser", both + "T1|w(x)\nT0|w(x)\n"));
}

TEST(MultiRace, EmptyLockSet_IsComparedAndNoFalseAlarm) {
  const char* joined = "T0|w(x)\nT0|fork(T1)\nT1|w(x)\nT1|exit()\nT0|join(T1)\nT0|w(x)\n";
  EXPECT_TRUE(warns("Eraser", joined));
  EXPECT_FALSE(warns("MultiRace", joined));
  EXPECT_TRUE(warns("MultiRace", "T0|w(x)\nT0|fork(T1)\nT1|w(x)\nT0|w(x)\n"));
}
TEST(MultiRace, RaceWithTheFirstOwner_IsMissedAsByEraser) {
  EXPECT_FALSE(warns("MultiRace", "T0|w(x)\nT1|acq(L0)\nT1|w(x)\nT1|rel(L0)\n"));
}
TEST(MultiRace, ProtectedData_IsNotCompared) {
  std::string text;
  for (int i = 0; i < 10; ++i)
    text += "T" + std::to_string(i % 2) + "|acq(L0)\nT" + std::to_string(i % 2) + "|w(x)\nT" +
            std::to_string(i % 2) + "|rel(L0)\n";
  EXPECT_EQ(run("MultiRace", text).rule("compare"), 0u);
  EXPECT_EQ(run("MultiRace", text).rule("lock_set"), 10u);
  EXPECT_LT(run("MultiRace", text).cost.clock_operations, run("DJIT+", text).cost.clock_operations);
}

// SHB, section 1 of its paper: of two races of a trace, the second may be none, since the read that it hangs on would read something else.
TEST(Shb, RaceBehindARead_ThatSawTheOtherThread_IsNotReported) {
  const std::string text = "T0|w(x)\nT0|w(y)\nT1|r(y)\nT1|w(x)\n";
  EXPECT_EQ(run("FastTrack", text).warnings.size(), 2u); // the first race of each variable
  EXPECT_EQ(run("SHB", text).warnings,
            std::vector<std::string>{"2@" + std::to_string((u64(1) << 40) + 8) + "+8"});
  EXPECT_EQ(run("SHB", "T0|w(x)\nT1|r(y)\nT0|w(y)\nT1|w(x)\n").warnings.size(),
            2u); // it read what was there before
}
TEST(Shb, AllRacesOfAVariable_AreReported_NotOnlyTheFirst) {
  const std::string text = "T0|r(x)\nT1|w(x)\nT2|w(x)\n";
  EXPECT_EQ(run("FastTrack", text).warnings.size(), 1u);
  EXPECT_EQ(run("SHB", text).warnings.size(), 3u); // T1 with T0; T2 with T0's read and with T1's write
}
TEST(Shb, RelaxedAtomics_KeepWhatTheyRead) {
  EXPECT_EQ(run("SHB", "T0|w(0x0,8)\nT0|store(0x10,8,relaxed)\nT1|load(0x10,8,relaxed)\nT1|w(0x0,8)\n")
                .warnings.size(),
            0u);
  EXPECT_EQ(run("SHB", "T0|w(0x0,8)\nT1|load(0x10,8,relaxed)\nT0|store(0x10,8,relaxed)\nT1|w(0x0,8)\n")
                .warnings.size(),
            1u);
}

// Sync-preserving races, section 1 of their paper: sections of a lock that need not have happened.
TEST(SyncP, RaceAroundSectionsOfALock_IsPredicted) {
  const char* text = "T0|w(x)\nT0|acq(L0)\nT0|rel(L0)\nT1|acq(L0)\nT1|rel(L0)\nT1|w(x)\n";
  EXPECT_TRUE(warns("SyncP", text));
  EXPECT_FALSE(warns("SHB", text));
  EXPECT_FALSE(warns("FastTrack", text));
}
TEST(SyncP, SectionsThatPassAValue_OrderWhatIsAround) {
  EXPECT_FALSE(
      warns("SyncP", "T0|w(x)\nT0|acq(L0)\nT0|w(y)\nT0|rel(L0)\nT1|acq(L0)\nT1|r(y)\nT1|rel(L0)\nT1|w(x)\n"));
  EXPECT_TRUE(
      warns("SyncP", "T0|w(x)\nT0|acq(L0)\nT0|w(y)\nT0|rel(L0)\nT1|acq(L0)\nT1|r(z)\nT1|rel(L0)\nT1|w(x)\n"));
}
// A barrier of a lock and a counter, where one check stands for the read and the write of ++counter: nothing else says that T1's section came second.
TEST(SyncP, WriteThatStandsForARead_OrdersSections) {
  std::vector<Event> trace;
  ASSERT_FALSE(parse_trace(
      "T0|w(x)\nT0|acq(L0)\nT0|w(counter)\nT0|rel(L0)\nT1|acq(L0)\nT1|w(counter)\nT1|rel(L0)\nT1|w(x)\n",
      trace));
  for (const char* name : {"SyncP", "SHB"})
    for (bool writes_read : {false, true}) {
      auto detector = find_detector(name)->make({});
      if (writes_read) detector->assume_writes_read();
      Verdict verdict;
      for (const Event& e : trace) detector->step(e, verdict);
      EXPECT_EQ(verdict.warnings.empty(), writes_read || name == std::string_view("SHB"))
          << name << writes_read;
    }
}
TEST(SyncP, AccessesInSectionsOfOneLock_AreNoRace) {
  EXPECT_FALSE(warns("SyncP", "T0|acq(L0)\nT0|w(x)\nT0|rel(L0)\nT1|acq(L0)\nT1|w(x)\nT1|rel(L0)\n"));
  EXPECT_TRUE(warns("SyncP", "T0|acq(L0)\nT0|w(x)\nT0|rel(L0)\nT1|acq(L1)\nT1|w(x)\nT1|rel(L1)\n"));
}
TEST(SyncP, InfeasibleTrace_Ends) { // a release that nobody acquired, a section that is never left
  std::vector<Event> trace;
  ASSERT_FALSE(parse_trace(
      "T0|rel(L0)\nT0|acq(L0)\nT1|acq(L0)\nT1|w(x)\nT0|w(x)\nT2|rel_shared(L0)\nT0|leave(B0,0)\nT0|end()\n",
      trace));
  for (const Description& d : all_detectors()) {
    auto detector = d.make({});
    Verdict verdict;
    for (const Event& e : trace) detector->step(e, verdict);
  }
}

TEST(Detectors, StateIsProportionalToMemory_NotToTheTrace) {
  std::string text = "T0|fork(T1)\n";
  for (int i = 0; i < 2000; ++i)
    text += "T0|acq(L0)\nT0|w(0x1000,64)\nT0|rel(L0)\nT1|acq(L0)\nT1|r(0x1000,64)\nT1|rel(L0)\n"
            "T0|arrive(B0," +
            std::to_string(i) + ")\nT1|arrive(B0," + std::to_string(i) + ")\nT1|leave(B0," +
            std::to_string(i) + ")\nT0|leave(B0," + std::to_string(i) +
            ")\n"
            "T0|alloc(0x2000,64)\nT0|store(0x2000,8,release)\nT1|load(0x2000,8,acquire)\nT1|free(0x2000,64)"
            "\nT1|vol_w(V0)\nT0|vol_r(V0)\n";
  for (const Description& d : all_detectors()) {
    if (d.guarantee == Guarantee::Predictive) continue; // theirs may grow, and they say so
    EXPECT_LT(run(d.name, text).cost.memory, 200000u) << d.name;
  }
}

TEST(AllDetectors, NamesAreFoundInAnyCase) {
  EXPECT_EQ(find_detector("fasttrack"), find_detector("FastTrack"));
  EXPECT_EQ(find_detector("FastTrac"), nullptr);
  EXPECT_EQ(find_detector(""), nullptr);
}

} // namespace
} // namespace footrace::detectors
