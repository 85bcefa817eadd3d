// Figures 5 and 6: one step at a time.
#include "scan/il/text.h"
#include "scan/theorem/claims.h"
#include "scan/theorem/semantics.h"

#include <gtest/gtest.h>

namespace footrace::scan::theorem {
namespace {

class Running {
public:
  explicit Running(std::string_view text)
      : program_(il::parse(text, "test.il").program), semantics_(program_) {
    object = state.heap.make(Heap::elsewhere);
    for (unsigned t : {0u, 1u})
      semantics_.call(state.threads[t],
                      program_.methods.at(std::min<std::size_t>(t, program_.methods.size() - 1)),
                      {{object, {}}}, {});
  }
  bool may_step(unsigned thread) { return semantics_.may_step(state, thread); }
  void step(unsigned thread, unsigned times = 1) {
    for (unsigned i = 0; i < times; ++i) {
      Thread& mine = state.threads[thread];
      while (!mine.stack.empty() && !semantics_.next(mine)) semantics_.choose(mine, 0);
      semantics_.step(state, thread);
    }
    Thread& mine = state.threads[thread];
    while (!mine.stack.empty() && !semantics_.next(mine)) semantics_.choose(mine, 0);
  }
  std::vector<Touch> touches(unsigned thread) { return semantics_.touches(state, thread); }
  Address cell(const char* field) { return {object, {il::field(field)}}; }

  Location object = 0;
  State state;

private:
  il::Program program_;
  Semantics semantics_;
};

TEST(Semantics, StoreWritesTheHeap) {
  Running run("method m(x) { t := new; x->f := t; use x->f; }");
  run.step(0, 2);
  EXPECT_NE(run.state.heap.read(run.cell("f")).object, Heap::elsewhere);
  EXPECT_NE(run.state.heap.read(run.cell("f")).object, run.object);
}

TEST(Semantics, LoadFollowsPointersAndReadsThem) {
  Running run("method m(x) { t := x->f->g; }");
  std::vector<Touch> touches = run.touches(0);
  ASSERT_EQ(touches.size(), 2u);
  EXPECT_EQ(touches[0].at, run.cell("f"));
  EXPECT_EQ(touches[1].at, (Address{Heap::elsewhere, {il::field("g")}}));
  EXPECT_FALSE(touches[0].write || touches[1].write);
}

TEST(Semantics, FreshObjectsAreAllDifferent) {
  Running run("method m(x) { t := new; x->f := t; t := new; x->g := t; use x->f; }");
  run.step(0, 4);
  EXPECT_NE(run.state.heap.read(run.cell("f")), run.state.heap.read(run.cell("g")));
}

TEST(Semantics, CallPassesValues_AndPopsItsFrame) {
  Running run("method m(x) { call f(x); use x->f; } method f(y) { y := new; y->f := y; }");
  run.step(0);
  EXPECT_EQ(run.state.threads[0].stack.size(), 2u);
  run.step(0, 2);
  ASSERT_EQ(run.state.threads[0].stack.size(), 1u);
  EXPECT_EQ(run.touches(0).at(0).at, run.cell("f")) << "the caller's variable is its own";
}

TEST(Semantics, ResultIsTheReturnedValue) {
  Running run("method m(x) { t := call f(x); t^ := x; } method f(y) { return &y->f; }");
  run.step(0, 2);
  EXPECT_EQ(run.touches(0).back().at, run.cell("f"));
  EXPECT_TRUE(run.touches(0).back().write);
}

TEST(Semantics, Figure6_LockBlocksTheOtherThread) {
  Running run("method a(x) { lock @m; use x->f; unlock @m; } method b(x) { lock @m; use x->f; unlock @m; }");
  EXPECT_TRUE(run.may_step(0) && run.may_step(1));
  run.step(0);
  EXPECT_FALSE(run.may_step(1));
  run.step(0, 2);
  EXPECT_TRUE(run.may_step(1));
}

TEST(Semantics, LockIsReentrant) {
  Running run("method a(x) { lock @m; lock @m; use x->f; unlock @m; unlock @m; } method b(x) { lock @m; }");
  run.step(0, 2);
  EXPECT_TRUE(run.may_step(0));
  run.step(0, 2);
  EXPECT_FALSE(run.may_step(1)) << "one of the two is still held";
}

TEST(Semantics, SharedLocksDoNotBlockEachOther) {
  Running run("method a(x) { lock shared @m; } method b(x) { lock shared @m; lock @m; }");
  run.step(0);
  EXPECT_TRUE(run.may_step(1));
  run.step(1);
  EXPECT_FALSE(run.may_step(1));
}

TEST(Semantics, WholeObjectOverwritesItsParts) {
  Running run("method m(x) { t := new; x->s.f := t; x->s := ?; use x->s.f; }");
  Address part{run.object, {il::field("s"), il::field("f")}};
  run.step(0, 2);
  EXPECT_NE(run.state.heap.read(part).object, Heap::elsewhere);
  run.step(0);
  EXPECT_EQ(run.state.heap.read(part).object, Heap::elsewhere);
}

bool all_race(std::string_view text, const domain::Rules& rules = {}) {
  il::ParseResult parsed = il::parse(text, "test.il");
  Claims made = claims(parsed.program, {}, rules);
  EXPECT_FALSE(made.empty());
  for (const auto& [claim, routes] : made)
    if (!find_race(parsed.program, claim, routes)) return false;
  return true;
}

TEST(Construction, Theorem610_ReadUnlockedAgainstLockedWrite) {
  EXPECT_TRUE(all_race("method a(x) { use x->f; } method b(y) { lock @m; y->f := ?; unlock @m; }"));
}

TEST(Construction, AccessDeepInCallsBranchesAndLoops) {
  EXPECT_TRUE(all_race("method a(x) { while * { if * { call b(x->f); } } }"
                       "method b(y) { if * { y->g := ?; } else { y->h := ?; } }"));
}

TEST(Construction, DifferentLocksAreInterleaved) {
  EXPECT_TRUE(all_race("method a(x) { lock x->n; unlock x->n; lock x->m; x->f := ?; unlock x->m; }"
                       "method b(x) { lock x->m; unlock x->m; lock x->n; x->f := ?; unlock x->n; }"));
}

TEST(Construction, NoExecutionForAWrongClaim) {
  domain::Rules wrong;
  wrong.may_hold_together = [](const domain::LockState&, const domain::LockState&,
                               const domain::SharedRoots&) { return true; };
  EXPECT_FALSE(all_race("method a(x) { lock @m; x->f := ?; unlock @m; }", wrong));
}

} // namespace
} // namespace footrace::scan::theorem
