// Methods to summaries: composition, branches, loops, recursion, locals, and the examples of the paper.
#include "scan/domain/call_graph.h"
#include "scan/domain/domain_test.h"

namespace footrace::scan::domain {
namespace {

constexpr Options paper{Domain::Stability, Wobbling::Paper}, ownership{Domain::Ownership, Wobbling::Refined};

TEST(Summary, Figure1_DodoReadsLockedAndWritesUnlocked) {
  constexpr const char* dodo = "method zap(this, d) { lock this->m; use d->dee; unlock this->m; }"
                               "method zup(this, d) { t := new; d->dee := t; }";
  EXPECT_EQ(accesses_of(dodo, "zap", paper), Texts{"read d->dee locked"});
  EXPECT_EQ(accesses_of(dodo, "zup", paper), Texts{"write d->dee"});
}

TEST(Summary, Figure2_BurbleHasAFalseRaceOnlyAfterReassignment) {
  constexpr const char* burble = "method reps(this, b) { b->f := ?; }"
                                 "method beps(this, b) { b := new; b->f := ?; }";
  EXPECT_EQ(accesses_of(burble, "reps", paper), Texts{"write b->f"});
  for (const Options& options : {paper, Options{}, ownership})
    EXPECT_EQ(accesses_of(burble, "beps", options), Texts{}) << "b is a fresh object";
}

TEST(Summary, Figure3_WurbleIsDestabilisedByItsCallee) {
  constexpr const char* wurble = "method qwop(this, w) { call zwup(this, w->x); }"
                                 "method zwup(this, w) { lock this->m; use w->x->g; unlock this->m;"
                                 "  w := new; w->g->f := ?; }";
  EXPECT_FALSE(accesses_of(wurble, "qwop", paper).contains("write w->x->g->f"));
  EXPECT_FALSE(accesses_of(wurble, "qwop").contains("write w->x->g->f"));
}

TEST(Summary, Section71_AllocatedMemberIsNotReported) {
  constexpr const char* text = "method m(x) { t := new; x->b := t; x->b->f := ?; }";
  for (const Options& options : {paper, Options{}, ownership})
    EXPECT_EQ(accesses_of(text, "m", options), (Texts{"write x->b", "read x->b"}));
}

TEST(Summary, Section72_ConstructorsAndDestructorsDoNotRaceOnThis) {
  for (const char* kind : {"constructor", "destructor"})
    for (const Options& options : {paper, Options{}, ownership})
      EXPECT_EQ(
          accesses_of("method m(this) " + std::string(kind) + " { this->n := ?; @g := ?; }", "m", options),
          Texts{"write g"});
}

TEST(Summary, Section722_PassingThisAndAMember) {
  constexpr const char* text =
      "method m(this) { call f(this, this->p); this->n := ?; } method f(this, p) { }";
  EXPECT_FALSE(accesses_of(text, "m", paper).contains("write this->n")) << "the paper's WB";
  EXPECT_TRUE(accesses_of(text, "m").contains("write this->n"));
}

TEST(Summary, CallsSubstituteActualsAndAddLocks) {
  constexpr const char* text = "method m(this) { lock this->m; call set(this->p); unlock this->m; }"
                               "method set(x) { x->n := ?; }";
  EXPECT_EQ(accesses_of(text, "m"), (Texts{"read this->p locked", "write this->p->n locked"}));
}

// Recursion through virtual calls makes more of them than memory holds; which ones stay does not depend on the order of the statements.
TEST(Summary, MoreAccessesThanAMethodMayHave_TheSameOnesStay) {
  constexpr std::size_t count = Accesses::max_accesses + 100;
  std::string forwards, backwards;
  for (std::size_t i = 0; i < count; ++i) {
    forwards += "use this->f" + std::to_string(i) + "; ";
    backwards += "use this->f" + std::to_string(count - 1 - i) + "; ";
  }
  const Texts kept = accesses_of("method m(this) { " + forwards + "}", "m", ownership);
  EXPECT_EQ(kept.size(), Accesses::max_accesses);
  EXPECT_EQ(accesses_of("method m(this) { " + backwards + "}", "m", ownership), kept);
}

// Of one path with many locks, those with the fewest stay, and no other path goes.
TEST(Summary, MoreVariantsOfAnAccessThanAreKept_TheOneWithoutALockStays) {
  std::string text = "method m(this) { this->z := ?; ";
  for (std::size_t i = 0; i < 2 * Accesses::max_variants; ++i) {
    const std::string lock = "this->m" + std::to_string(i) + "; ";
    text += "lock " + lock + "this->a := ?; unlock " + lock;
  }
  const Summaries summaries = summarize(program_of(text + "this->a := ?; }"), {});
  const Summary& summary = summaries.at("m");
  EXPECT_TRUE(summary.left_out);
  EXPECT_EQ(summary.accesses.all().size(), Accesses::max_variants + 1);
  EXPECT_EQ(accesses_of(text + "this->a := ?; }", "m"),
            (Texts{"write this->a", "write this->a locked", "write this->z"}));
}

// What was locked and unlocked before matters for the order of nested locks alone: one access stands for all ways, with the locks of all of them.
TEST(Summary, WaysToAnAccessThatOnlyDifferInLocksGivenBack_AreOneAccess) {
  const std::string before = "method a(this) { lock @m; unlock @m; this->x := ?; } "
                             "method b(this) { lock @n; unlock @n; this->x := ?; } ";
  const Summaries summaries =
      summarize(program_of(before + "method c(this) { call a(this); call b(this); } "
                                    "method d(this) { lock @o; call c(this); unlock @o; }"),
                {});
  ASSERT_EQ(summaries.at("c").accesses.all().size(), 1u);
  EXPECT_EQ(summaries.at("c").accesses.all()[0].first.locks->acquired,
            (std::set{path_of("@m"), path_of("@n")}));
  ASSERT_EQ(summaries.at("d").accesses.all().size(), 1u);
  EXPECT_EQ(summaries.at("d").accesses.all()[0].first.locks->nested,
            (std::set{path_of("@m"), path_of("@n")}));
  EXPECT_FALSE(summaries.at("c").left_out);
}

TEST(Ownership, WaysToAnAccessThatOnlyDifferInLocksGivenBack_KeepWhatTheyHaveInCommon) {
  const Summaries summaries =
      summarize(program_of("method m(this) { lock @l; unlock @l; if * { lock @m; unlock @m; this->x := ?; } "
                           "else { lock @n; unlock @n; this->x := ?; } }"),
                ownership);
  ASSERT_EQ(summaries.at("m").accesses.all().size(), 1u);
  EXPECT_EQ(summaries.at("m").accesses.all()[0].first.locks->acquired, (std::set{path_of("@l")}));
}

// A role is that of the thread only where the function was told by its caller what its caller was told.
TEST(Summary, CallWithOtherValues_DropsTheRoleOfTheCallee) {
  const std::string callee =
      "method check(x) { lock @role.told.ticket; x->n := ?; unlock @role.told.ticket; }";
  auto roles = [&](const char* call) {
    const Summaries summaries = summarize(program_of(callee + "method m(x) { " + call + " }"), {});
    return summaries.at("m").accesses.all().front().first.locks->held.size();
  };
  EXPECT_EQ(roles("call check(x);"), 1u);
  EXPECT_EQ(roles("call check(x) anew;"), 0u);
}

// Only so many are kept: were it others in every round, the rounds would not end.
TEST(Summary, MoreAtomicsThanAreKept_TheAnalysisEnds) {
  constexpr const char* text =
      "method m(this) { goto A;"
      "label A: send any(&this->f5); send any(&this->f1); goto E, A;"
      "label B: send any(&this->f1); send any(&this->f8); goto F, A;"
      "label C: send any(&this->f1); send any(&this->f3); send any(&this->f2); goto B, F;"
      "label D: send any(&this->f7); send any(&this->f6); goto C, D;"
      "label E: send any(&this->f7); send any(&this->f5); goto G, A;"
      "label F: goto E, F;"
      "label G: send any(&this->f7); send any(&this->f2); send any(&this->f5); goto C, E; }";
  EXPECT_EQ(summarize(program_of(text), {}).at("m").sent.all().size(), Flags::max_flags);
}

TEST(Summary, CalleesMayLockForTheirCaller) {
  constexpr const char* text =
      "method m(this) { call acquire(this); this->n := ?; call leave(this); this->k := ?; }"
      "method acquire(x) { lock x->m; } method leave(x) { unlock x->m; }";
  EXPECT_EQ(accesses_of(text, "m"), (Texts{"write this->n locked", "write this->k"}));
}

TEST(Summary, CallChainLeadsToTheAccess) {
  Summaries summaries = summarize(
      program_of(
          "method a(x) {\n call b(x);\n}\nmethod b(x) {\n call c(x);\n}\nmethod c(x) {\n x->n := ?;\n}"),
      {});
  const auto& all = summaries.at("a").accesses.all();
  ASSERT_EQ(all.size(), 1u);
  const AccessPlace& place = all.begin()->second;
  ASSERT_EQ(place.calls.size(), 2u);
  EXPECT_EQ(place.calls.front().callee, il::Name("b"));
  EXPECT_EQ(place.calls.front().at.line, 2u);
  EXPECT_EQ(place.calls.back().callee, il::Name("c"));
  EXPECT_EQ(place.at.line, 8u);
}

TEST(Summary, BothBranchesCount) {
  EXPECT_EQ(accesses_of("method m(x) { if * { x->f := ?; } else { x->g := ?; } }", "m"),
            (Texts{"write x->f", "write x->g"}));
}

TEST(Summary, LockInOneBranchProtectsAfterwards) {
  EXPECT_EQ(accesses_of("method m(x) { if * { lock x->m; } x->f := ?; }", "m"), Texts{"write x->f locked"});
}

TEST(Summary, LoopBodyIsAnalysedWithWhatItLeaves) {
  EXPECT_EQ(accesses_of("method m(x) { while * { x->f := ?; lock x->m; x->g := ?; unlock x->m; } }", "m"),
            (Texts{"write x->f", "write x->g locked"}));
}

TEST(Summary, CodeAfterReturnIsNotReached) {
  EXPECT_EQ(accesses_of("method m(x) { return; x->f := ?; }", "m"), Texts{});
}

TEST(Summary, CodeAfterACallThatNeverReturnsIsNotReached) {
  constexpr const char* text = "method m(x) { call f(); x->f := ?; } method f() { call g(); } method g() { "
                               "while * { } goto A; label A: goto A; }";
  EXPECT_EQ(accesses_of(text, "m"), Texts{});
}

TEST(Summary, RequiredLocksAreHeld) {
  EXPECT_EQ(accesses_of("method m(this) requires this->m { this->n := ?; }", "m"),
            Texts{"write this->n locked"});
}

TEST(Summary, LocksHeldByContractStayTheCallers) {
  constexpr const char* text =
      "method m(this) { lock this->m; call f(this); call g(this); unlock this->m; this->n := ?; }"
      "method f(this) requires this->m { } method g(this) { assume this->m; }";
  EXPECT_EQ(accesses_of(text, "m"), Texts{"write this->n"});
  constexpr const char* reopened =
      "method m(this) { lock this->m; call f(this); this->n := ?; unlock this->m; }"
      "method f(this) requires this->m { unlock this->m; lock this->m; }";
  EXPECT_EQ(accesses_of(reopened, "m"), Texts{"write this->n locked"});
}

TEST(Summary, LocalCopiesOfPointersAreFollowed) {
  EXPECT_EQ(accesses_of("method m(this) { t := this->head; t->n := ?; }", "m"),
            (Texts{"read this->head", "write this->head->n"}));
  EXPECT_EQ(accesses_of("method m(this) { t := &this->s; t^.n := ?; }", "m"), Texts{"write this->s.n"});
}

TEST(Summary, ResultsOfGettersAreFollowed) {
  constexpr const char* text =
      "method m(this) { t := call get(this); t^.n := ?; } method get(this) { return &this->s; }";
  EXPECT_EQ(accesses_of(text, "m"), Texts{"write this->s.n"});
}

TEST(Summary, ResultThatDependsOnTheBranchIsUnknown) {
  constexpr const char* text = "method m(this) { t := call get(this); t^.n := ?; }"
                               "method get(this) { if * { return &this->a; } return &this->b; }";
  EXPECT_EQ(accesses_of(text, "m"), Texts{});
}

TEST(Summary, WalkAlongAListIsNotFollowed) {
  EXPECT_EQ(accesses_of("method m(this) { t := this->head; while * { t := t->next; } t->n := ?; }", "m"),
            (Texts{"read this->head"}));
}

TEST(Summary, AccessesBeforeASpawnOrAfterAJoinAreAlone) {
  const il::Program program = program_of("method start(this) { this->a := ?; spawn run(this); this->b := ?; }"
                                         "method stop(this) { this->c := ?; join run(); this->d := ?; }"
                                         "method both(this) { this->e := ?; call start(this); }");
  const Summaries summaries = summarize(program, {});
  auto alone = [&](const char* method) {
    Texts found;
    for (const auto& [key, place] : summaries.at(method).accesses.all())
      if (key.order != Order::Unknown) found.insert(describe(key.path, program.methods[0]));
    return found;
  };
  EXPECT_EQ(alone("start"), Texts{"this->a"});
  EXPECT_EQ(alone("stop"), Texts{"this->d"});
  EXPECT_EQ(alone("both"), (Texts{"this->a", "this->b", "this->e"}));
}

TEST(Summary, RecursionEnds) {
  EXPECT_EQ(
      accesses_of("method even(x) { x->f := ?; call odd(x); } method odd(x) { x->g := ?; call even(x); }",
                  "odd"),
      (Texts{"write x->f", "write x->g"}));
  EXPECT_TRUE(
      accesses_of("method walk(x) { x->f := ?; call walk(x->next); }", "walk").contains("write x->f"));
}

TEST(Ownership, FreshObjectIsOwnedUntilStored) {
  EXPECT_EQ(accesses_of("method m(x) { x := new; x->f := ?; }", "m", ownership), Texts{});
  EXPECT_EQ(accesses_of("method m(x) { if * { x := new; } x->f := ?; }", "m", ownership),
            Texts{"write x->f"});
}

TEST(Ownership, CalleeOnOwnedObjectDoesNotCount) {
  constexpr const char* text =
      "method m(x) { t := new; call set(t); call set(x); } method set(x) { x->f := ?; }";
  EXPECT_EQ(accesses_of(text, "m", ownership), Texts{"write x->f"});
}

TEST(Ownership, IsDeep) {
  EXPECT_EQ(accesses_of("method m(x) { x := new; x->f->g := ?; }", "m", ownership), Texts{});
}

// Each call of `many` adds its accesses with another set of locks: without a bound, each level multiplies them.
TEST(Summary, MoreAccessesThanAreTakenOver_AreLeftOutAndThatIsSaid) {
  std::string many = "method many(this) { ", calls = "method calls(this) { ";
  for (int i = 0; i < 400; ++i) many += "this->f" + std::to_string(i) + " := ?; ";
  for (int i = 0; i < 800; ++i) {
    const std::string lock = "this->m" + std::to_string(i) + "; ";
    calls += "lock " + lock + "call many(this); unlock " + lock;
  }
  Summaries summaries =
      summarize(program_of(many + "} " + calls + "} method last(this) { this->g := ?; }"), {});
  EXPECT_TRUE(summaries.at("calls").left_out);
  EXPECT_LE(summaries.at("calls").accesses.all().size(), Accesses::max_accesses);
  EXPECT_FALSE(summaries.at("many").left_out);
  EXPECT_FALSE(summaries.at("last").left_out);
}

TEST(CallGraph, ComponentsComeCalleesFirst) {
  il::Program program = program_of(
      "method a() { call b(); } method b() { call c(); call d(); } method c() { call b(); } method d() { }");
  std::vector<std::vector<unsigned>> expected = {{3}, {1, 2}, {0}};
  EXPECT_EQ(components(program), expected);
}

} // namespace
} // namespace footrace::scan::domain
