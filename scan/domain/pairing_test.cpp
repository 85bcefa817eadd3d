// What is reported, as what, and what is not.
#include "scan/domain/domain_test.h"
#include "scan/domain/pairing.h"
#include "scan/domain/report.h"
#include "scan/il/dispatch.h"

namespace footrace::scan::domain {
namespace {

// "rule: method path / method"
Texts races_in(const std::string& text, const Options& options = {}) {
  il::Program program = program_of(text);
  il::resolve_dispatch(program);
  Texts found;
  for (const Race& race : pair(program, summarize(program, options)))
    found.insert(std::string(to_text(race.rule)) + ": " + race.weak.method->name.text() + " " +
                 describe_access(race.weak) + " / " + race.other.method->name.text());
  return found;
}

const std::string locked_write = "method set(this: C) in C { lock this->m; this->n := ?; unlock this->m; }";

// What is left out of `m` differs: behind this->p, which changes, there is nothing that is stable.
TEST(Pairing, MoreAccessesThanAreKept_StabilityReportsAreAmongThoseOfOwnership) {
  std::string text = "method m(this: C) in C { t := this->q; this->p := t; this->z := ?; ";
  for (std::size_t i = 0; i < Accesses::max_accesses; ++i)
    text += "use this->p->f" + std::to_string(i) + "; ";
  text += "} method get(this: C) in C { lock this->m; use this->z; unlock this->m; }";
  const il::Program program = program_of(text);
  Options ownership;
  ownership.domain = Domain::Ownership;
  auto paths = [&](const std::vector<Race>& races) {
    Texts found;
    for (const Race& race : races) found.insert(describe_access(race.weak));
    return found;
  };
  const Summaries stable = summarize(program, {}), owned = summarize(program, ownership);
  EXPECT_FALSE(stable.at("m").left_out);
  EXPECT_TRUE(owned.at("m").left_out);
  EXPECT_EQ(paths(pair(program, owned)), Texts{});
  EXPECT_EQ(paths(find_races(program, stable, {})), Texts{"this->z"});
  EXPECT_EQ(paths(find_races(program, owned, ownership)), Texts{"this->z"});
}

TEST(Pairing, ReadWithoutLockAgainstLockedWrite) {
  EXPECT_EQ(races_in(locked_write + "method get(this: C) in C { use this->n; }"),
            Texts{"read-write-race: get this->n / set"});
}

TEST(Pairing, WriteWithoutLockAgainstLockedAccess) {
  EXPECT_EQ(races_in(locked_write + "method clear(this: C) in C { this->n := ?; }"),
            Texts{"unprotected-write: clear this->n / set"});
}

TEST(Pairing, BothLockedIsNoRace) {
  EXPECT_EQ(
      races_in(locked_write + "method get(this: C) in C { lock this->m; use this->n; unlock this->m; }"),
      Texts{});
}

TEST(Pairing, TwoReadsAreNoRace) {
  EXPECT_EQ(races_in("method a(this: C) in C { lock this->m; use this->n; unlock this->m; }"
                     "method b(this: C) in C { use this->n; }"),
            Texts{});
}

TEST(Pairing, LockOfAnotherObjectIsNoEvidence) {
  const std::string get = "method get(this: C) in C { use this->n; }";
  EXPECT_EQ(
      races_in(get + "method set(this: C) in C { lock this->db->m; this->n := ?; unlock this->db->m; }"),
      Texts{});
  EXPECT_EQ(
      races_in(get + "method set(this: C) in C { lock this->p^; this->n := ?; unlock this->p^; }").size(),
      1u);
}

TEST(Pairing, LockThatIsHandedInIsEvidenceUnlessItIsAnotherObjects) {
  const std::string get = "method get(this: C) in C { use this->n; }";
  const std::string set = get + "method set(this: C, mu: M) in C { lock mu^; this->n := ?; unlock mu^; }";
  const Texts race = {"read-write-race: get this->n / set"};
  EXPECT_EQ(races_in(set), race);
  EXPECT_EQ(races_in(set + "method use_it(c: C) internal { call set(c, &@g); }"), race);
  EXPECT_EQ(races_in(set + "method use_it(c: C) internal { call set(c, &c->m); }"), race);
  EXPECT_EQ(races_in(set + "method use_it(this: D) in D { call set(&this->c, &this->m); }"), Texts{});
  EXPECT_EQ(races_in(set + "method use_it(this: D) in D { call set(this->p, &this->m); }"), Texts{});
  // By contract it is the caller's.
  EXPECT_EQ(races_in(get + "method set(this: C, mu: M) in C requires mu^ { this->n := ?; }"), Texts{});
}

TEST(Pairing, MembersThatAreStillBeingMadeAreNotShared) {
  const std::string two = locked_write + "method clear(this: C) in C { this->n := ?; }";
  const std::string make = "method make(this: D) in D constructor ";
  EXPECT_EQ(races_in(two + make + "{ call clear(&this->c); }"), Texts{});
  // Behind a pointer, others may know it; and one call elsewhere is enough.
  EXPECT_EQ(races_in(two + make + "{ call clear(this->p); }").size(), 1u);
  EXPECT_EQ(races_in(two + make +
                     "{ call clear(&this->c); }"
                     "method again(this: D) in D { call clear(&this->c); }")
                .size(),
            1u);
  EXPECT_EQ(races_in(two + "method make(this: C) in C constructor { call clear(this); }").size(), 1u);
}

TEST(Pairing, GlobalsOfAProgramWhoseThreadsAreKnown) {
  const std::string two = "method set() { lock @m; @n := ?; unlock @m; } method get() { use @n; }";
  const std::string main = "method main() shown main startup ";
  EXPECT_EQ(races_in(two).size(), 1u);
  EXPECT_EQ(races_in(two + main + "{ }").size(), 1u); // others call them
  EXPECT_EQ(races_in(two + main + "{ call set(); call get(); }"), Texts{});
  EXPECT_EQ(races_in(two + main + "{ hand set(); }"), Texts{});
  EXPECT_EQ(races_in(two + main + "{ hand set(); spawn somewhere_else(); }").size(), 1u);
  EXPECT_EQ(races_in(two + main + "{ hand set(); hand get(); spawn run(); } method run() thread { @n := ?; }")
                .size(),
            1u);
}

TEST(Pairing, MethodsThatAreAlwaysCalledInOrderNeedNoLock) {
  const std::string table =
      "method put(this: C) in C { lock this->m; this->n := ?; call grow(this); unlock this->m; }"
      "method grow(this: C) in C { this->n := ?; }";
  const std::string main = "method main() shown main startup ";
  EXPECT_EQ(races_in(table).size(), 1u); // a library: others may call grow
  EXPECT_EQ(races_in(table + main + "{ t := new; call put(t); }"), Texts{});
  EXPECT_EQ(races_in(table + main + "{ t := new; call grow(t); spawn put(t); }"), Texts{});
  EXPECT_EQ(races_in(table + main + "{ t := new; spawn put(t); call grow(t); }").size(), 1u);
  EXPECT_EQ(races_in(table + main + "{ t := new; hand grow(); call put(t); }").size(), 1u);
}

TEST(Pairing, ThreadsThatAreAwaitedDoNotMeetThoseOfAnotherFunction) {
  const std::string entries = "method a() thread { @n := ?; } method b() thread { @n := ?; }";
  EXPECT_EQ(races_in(entries + "method x() { spawn a(); join j(); } method y() { spawn b(); join j(); }"),
            Texts{});
  EXPECT_EQ(races_in(entries + "method x() { spawn a(); spawn b(); join j(); }").size(), 1u);
  EXPECT_EQ(races_in(entries + "method x() { spawn a(); join j(); spawn b(); join j(); }"), Texts{});
  EXPECT_EQ(races_in(entries + "method x() { spawn a(); } method y() { spawn b(); join j(); }").size(), 1u);
}

TEST(Pairing, WhatIsGivenToAPoolRunsOnItsThreads) {
  const std::string pool = "method Pool(this: P) in P constructor { spawn run(this); }"
                           "method run(this: P) in P private { } method submit(this: P) in P { }";
  const std::string user =
      "method get(this: C) in C { use this->n; } method task(this: C) in C internal { this->n := ?; }";
  EXPECT_EQ(races_in(pool + user + "method go(this: C) in C { hand task(this) to submit; }").size(), 1u);
  EXPECT_EQ(races_in(pool + user + "method go(this: C) in C { hand task(this) to other; }"), Texts{});
  EXPECT_EQ(races_in(user + "method submit(this: P) in P { }" +
                     "method go(this: C) in C { hand task(this) to submit; }"),
            Texts{});
}

TEST(Pairing, HandOffThroughAnAtomic) {
  const std::string get = "method get(this: C) in C thread { receive nonzero(&this->f); use this->n; }";
  auto put = [](const std::string& body) { return "method put(this: C) in C { " + body + " }"; };
  EXPECT_EQ(races_in(get + put("this->n := ?; send nonzero(&this->f);")), Texts{});
  EXPECT_EQ(races_in(get + put("this->n := ?; send any(&this->f);")), Texts{});
  EXPECT_EQ(races_in(get + put("this->n := ?; send zero(&this->f);")).size(), 1u);
  EXPECT_EQ(races_in(get + put("this->n := ?; send nonzero(&this->g);")).size(), 1u);
  EXPECT_EQ(races_in(get + put("send nonzero(&this->f); this->n := ?;")).size(), 1u);
}

TEST(Pairing, AThreadThatIsGivenItsTurn) {
  const std::string peek = "method peek(this: C) in C { use this->n; }";
  EXPECT_EQ(races_in(peek + "method run(this: C) in C thread { receive nonzero(&this->f); this->n := ?; "
                            "send zero(&this->f); }"),
            Texts{});
  EXPECT_EQ(
      races_in(peek + "method run(this: C) in C thread { receive nonzero(&this->f); this->n := ?; }").size(),
      1u);
}

// Between handing out the work and seeing that it is done, the others are at work.
constexpr Options with_windows{Domain::Stability, Wobbling::Refined, true};
TEST(Pairing, InTheWindowOfATurnTheThreadRuns) {
  const std::string run =
      "method run(this: C) in C thread { receive nonzero(&this->f); this->n := ?; send zero(&this->f); }";
  auto deal = [](const std::string& body) { return "method deal(this: C) in C { " + body + " }"; };
  EXPECT_EQ(races_in(run + deal("use this->n; send any(&this->f); receive any(&this->f);"), with_windows),
            Texts{});
  EXPECT_EQ(races_in(run + deal("send any(&this->f); receive any(&this->f); use this->n;"), with_windows),
            Texts{});
  EXPECT_EQ(
      races_in(run + deal("send any(&this->f); use this->n; receive any(&this->f);"), with_windows).size(),
      1u);
  // A loop that waits is taken to have run.
  EXPECT_EQ(races_in(run + deal("send any(&this->f); while * { receive any(&this->f); } use this->n;"),
                     with_windows),
            Texts{});
  // In every round anew.
  EXPECT_EQ(races_in(run + deal("while * { send any(&this->f); use this->n; receive any(&this->f); }"),
                     with_windows)
                .size(),
            1u);
  // By default the thread is believed to have its turn.
  EXPECT_EQ(races_in(run + deal("send any(&this->f); use this->n; receive any(&this->f);")), Texts{});
  // Another flag says nothing.
  EXPECT_EQ(races_in(run + deal("send any(&this->g); use this->n; receive any(&this->g);"), with_windows),
            Texts{});
}

TEST(Pairing, WindowsReachThroughCalls) {
  const std::string run =
      "method run(this: C) in C thread { receive nonzero(&this->f); this->n := ?; send zero(&this->f); }"
      "method open(this: C) in C private { send any(&this->f); }"
      "method close(this: C) in C private { receive any(&this->f); }"
      "method look(this: C) in C private { use this->n; }";
  EXPECT_EQ(
      races_in(run + "method deal(this: C) in C { call open(this); call look(this); call close(this); }",
               with_windows)
          .size(),
      1u);
  EXPECT_EQ(
      races_in(run + "method deal(this: C) in C { call open(this); call close(this); call look(this); }",
               with_windows),
      Texts{});
}

TEST(Pairing, ClosuresAreCalledWithTheLocksOfTheirCaller) {
  const std::string helpers =
      "method body(this: C) in C internal { this->n := ?; }"
      "method locked(this: C, f) in C private { lock this->m; invoke f(f); unlock this->m; }"
      "method passes(this: C, f) in C private { call locked(this, f); }"
      "method plain(this: C, f) in C private { invoke f(f); }"
      "method keeps(this: C, f) in C private { this->kept := f; }"
      "method a(this: C) in C { call passes(this, ?) with 1 is body(this); }";
  EXPECT_EQ(races_in(helpers), Texts{});
  EXPECT_EQ(races_in(helpers + "method b(this: C) in C { call plain(this, ?) with 1 is body(this); }"),
            Texts{"unprotected-write: b this->n / a"});
  EXPECT_EQ(races_in(helpers + "method b(this: C) in C { call keeps(this, ?) with 1 is body(this); }"),
            Texts{});
}

TEST(Pairing, ADispatchedCallMayMeanAnyTarget) {
  const std::string shapes =
      "slot grow is one; slot grow is two; slot grow is unseen;"
      "method one(this: C) in C private { } method two(this: C) in C private { this->n := ?; }"
      "method a(this: C) in C { lock this->m; dispatch grow(this); unlock this->m; }";
  EXPECT_EQ(races_in(shapes), Texts{});
  EXPECT_EQ(races_in(shapes + "method b(this: C) in C { dispatch grow(this); use this->k; }"),
            Texts{"unprotected-write: b this->n / a"});
  EXPECT_EQ(races_in(shapes + "method b(this: C) in C { call grow(this); }"), Texts{});
}

TEST(Pairing, GuardedBySpeaksOfTheFieldAndPtGuardedByOfWhatItPointsTo) {
  auto with = [](const std::string& guard, const std::string& body) {
    return races_in("class C guard " + guard + " by this->m; method set(this: C) in C { " + body + " }")
        .size();
  };
  EXPECT_EQ(with("p", "this->p := ?;"), 1u);
  EXPECT_EQ(with("p", "this->p->n := ?;"), 0u);
  EXPECT_EQ(with("pointee p", "this->p->n := ?;"), 1u);
  EXPECT_EQ(with("pointee p", "this->p := ?;"), 0u);
}

TEST(Pairing, PlainSettersComeBeforeTheStart) {
  const std::string run = "method run(this: C) in C thread { use this->n; }";
  const std::string set = "method set_n(this: C) in C shown \"C::set_n\" { this->n := ?; }";
  EXPECT_EQ(races_in(run + set + "method start(this: C) in C { spawn run(this); }"), Texts{});
  EXPECT_EQ(races_in(run + set + "method C(this: C) in C constructor { spawn run(this); }").size(), 1u);
  EXPECT_EQ(races_in(run + "method reset(this: C) in C { this->n := ?; }" +
                     "method start(this: C) in C { spawn run(this); }")
                .size(),
            1u);
}

TEST(Pairing, AMethodThatGivesBackALockWasCalledWithIt) {
  const std::string take = "method take(this: C) in C { lock this->m; this->n := ?; }";
  EXPECT_EQ(races_in(take + "method give(this: C) in C { this->n := ?; unlock this->m; }"), Texts{});
  EXPECT_EQ(races_in(take + "method give(this: C) in C { unlock this->m; this->n := ?; }").size(), 1u);
}

TEST(Pairing, AWaitAloneOrdersNothing) {
  const std::string put =
      "method put(this: C) in C { lock this->m; wait turn(); this->n := ?; unlock this->m; "
      "use this->n; }";
  EXPECT_EQ(races_in(put), Texts{"read-write-race: put this->n / put"});
  EXPECT_EQ(races_in(put + "method set(this: C) in C { lock this->m; this->n := ?; unlock this->m; }"),
            Texts{"read-write-race: put this->n / set"});
}

TEST(Pairing, WrongLock) {
  EXPECT_EQ(
      races_in(locked_write + "method other(this: C) in C { lock this->k; this->n := ?; unlock this->k; }"),
      Texts{"wrong-lock: other this->n / set"});
}

TEST(Pairing, WriteWithSharedLock) {
  EXPECT_EQ(races_in("method get(this: C) in C { lock shared this->m; this->n := ?; unlock shared this->m; }"
                     "method see(this: C) in C { lock shared this->m; use this->n; unlock shared this->m; }"),
            Texts{"write-with-shared-lock: get this->n / see"});
}

TEST(Pairing, WriteWriteNeedsAContract) {
  const std::string two = "method a(this: C) in C { this->n := ?; } method b(this: C) in C { this->n := ?; }";
  EXPECT_EQ(races_in(two), Texts{});
  EXPECT_EQ(races_in("class C safe;" + two), Texts{"write-write-race: a this->n / b"});
  EXPECT_EQ(races_in("class C guard n by this->m;" + two).size(), 1u);
}

TEST(Pairing, PrivateMethodsAreOnlyCalled) {
  EXPECT_EQ(races_in(locked_write + "method get(this: C) in C private { use this->n; }"), Texts{});
  EXPECT_EQ(races_in(locked_write + "method get(this: C) in C private { use this->n; }"
                                    "method ask(this: C) in C { call get(this); }"),
            Texts{"read-write-race: ask this->n / set"});
}

TEST(Pairing, PrivateThreadEntryIsEntered) {
  EXPECT_EQ(races_in("method run(this: C) in C private thread { use this->stop; }"
                     "method end(this: C) in C { this->stop := ?; }"),
            Texts{"unprotected-write: end this->stop / run"});
}

TEST(Pairing, WritesBeforeTheThreadStartsAreNotConcurrent) {
  EXPECT_EQ(races_in("method run(this: C) in C private thread { use this->stop; }"
                     "method start(this: C) in C { this->stop := ?; spawn run(this); }"),
            Texts{});
}

TEST(Pairing, StartupConstructorsAndIgnoredMethodsAreNotEntered) {
  for (const char* kind : {"startup", "constructor", "destructor", "ignored \"known\"", "internal"})
    EXPECT_EQ(races_in(locked_write + "method get(this: C) in C " + kind + " { use this->n; }"), Texts{})
        << kind;
}

TEST(Pairing, ObjectsOfUnrelatedClassesDiffer) {
  EXPECT_EQ(races_in(locked_write + "method get(this: D) in D { use this->n; }"), Texts{});
}

TEST(Pairing, InheritedMembersAreShared) {
  EXPECT_EQ(
      races_in("class C locks; class D base C;" + locked_write + "method get(this: D) in D { use this->n; }"),
      Texts{"read-write-race: get this->n / set"});
}

TEST(Pairing, GlobalsRaceBetweenFunctions) {
  EXPECT_EQ(races_in("method a() { lock @m; @g := ?; unlock @m; } method b() { use @g; }"),
            Texts{"read-write-race: b g / a"});
  EXPECT_EQ(races_in("method a() { @g := ?; } method b() { use @g; }"), Texts{});
  EXPECT_EQ(races_in("method a() thread { @g := ?; } method b() { use @g; }"),
            Texts{"unprotected-write: a g / b"});
}

TEST(Pairing, CallersOfAHelperHoldTheLock) {
  EXPECT_EQ(races_in("method a() { lock @m; call set(); unlock @m; } method set() { @g := ?; }"
                     "method b() { lock @m; use @g; unlock @m; }"),
            Texts{});
}

TEST(Pairing, FunctionsOnAnObjectNeedItsOwnLock) {
  EXPECT_EQ(races_in("method put(a: Account) { lock a->m; a->n := ?; unlock a->m; } method see(b: Account) { "
                     "use b->n; }"),
            Texts{"read-write-race: see b->n / put"});
  EXPECT_EQ(
      races_in(
          "method put(a: Account) { lock @m; a->n := ?; unlock @m; } method see(b: Account) { use b->n; }"),
      Texts{});
}

TEST(Pairing, WholeObjectAgainstAPartOfIt) {
  EXPECT_EQ(races_in("method set(this: C) in C { lock this->m; this->s := ?; unlock this->m; }"
                     "method get(this: C) in C { use this->s.x; }"),
            Texts{"read-write-race: get this->s.x / set"});
}

TEST(Pairing, ReadAndWriteOfOneStatementAreOneDefect) {
  EXPECT_EQ(races_in(locked_write + "method inc(this: C) in C { use this->n; this->n := ?; }"),
            Texts{"unprotected-write: inc this->n / set"});
}

TEST(Pairing, RacerDXIsASubsetOfRacerD) {
  const std::string text =
      "method set(this: C) in C { lock this->m; this->p->n := ?; unlock this->m; }"
      "method get(this: C) in C { t := new; this->q := t; this->q->n := ?; use this->p->n; }";
  Texts stability = races_in(text), ownership = races_in(text, {Domain::Ownership, Wobbling::Refined});
  for (const std::string& race : stability) EXPECT_TRUE(ownership.contains(race)) << race;
}

TEST(Report, NamesBothMethodsThePathTheLocksAndTheReason) {
  il::Program program = program_of(
      "method f1(this: C) in C shown \"C::set\" {\n lock this->m;\n call f3(this);\n unlock this->m;\n}"
      "method f2(this: C) in C shown \"C::get\" {\n use this->n;\n}"
      "method f3(this: C) in C shown \"C::store\" private {\n this->n := ?;\n}");
  std::vector<findings::Finding> found = scan(program);
  ASSERT_EQ(found.size(), 1u);
  const findings::Finding& finding = found[0];
  EXPECT_EQ(finding.rule, "read-write-race");
  EXPECT_EQ(finding.part, "scan");
  EXPECT_EQ(finding.memory->name, "this->n");
  ASSERT_EQ(finding.accesses.size(), 2u);
  EXPECT_EQ(finding.accesses[0].kind, findings::AccessKind::Read);
  EXPECT_EQ(finding.accesses[0].stack.at(0).function, "C::get");
  EXPECT_EQ(finding.accesses[0].location.line, 6u);
  ASSERT_EQ(finding.accesses[1].stack.size(), 2u);
  EXPECT_EQ(finding.accesses[1].stack[0].function, "C::store");
  EXPECT_EQ(finding.accesses[1].stack[1].function, "C::set");
  EXPECT_EQ(finding.accesses[1].stack[1].location.line, 3u);
  ASSERT_EQ(finding.accesses[1].locks.size(), 1u);
  EXPECT_EQ(finding.accesses[1].locks[0].name, "this->m");
  EXPECT_NE(finding.explanation.find("C::set"), std::string::npos);
}

TEST(Report, FingerprintDoesNotDependOnLines) {
  auto fingerprint = [](const std::string& above, const char* field) {
    std::string text = above + "method set(this: C) in C { lock this->m; this->F := ?; unlock this->m; }"
                               "method get(this: C) in C { use this->F; }";
    for (std::size_t at; (at = text.find('F')) != std::string::npos;) text.replace(at, 1, field);
    return scan(program_of(text)).at(0).fingerprint;
  };
  EXPECT_EQ(fingerprint("", "n"), fingerprint("\n\n\n", "n"));
  EXPECT_NE(fingerprint("", "n"), fingerprint("", "k"));
}

} // namespace
} // namespace footrace::scan::domain
