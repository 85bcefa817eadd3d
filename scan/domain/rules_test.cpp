// Figure 7, rule by rule.
#include "scan/domain/domain_test.h"

namespace footrace::scan::domain {
namespace {

WobblyPaths after(std::initializer_list<std::string> statements) {
  WobblyPaths paths;
  for (const std::string& text : statements) wobbly(paths, statement_of(text));
  return paths;
}
bool stable(const WobblyPaths& paths, const std::string& path, Wobbling wobbling) {
  return paths.must_be_stable(path_of(path), wobbling);
}

TEST(Wobbly, StoreMakesThePathWobbly_NotItself) {
  WobblyPaths paths = after({"x->f := t"});
  EXPECT_TRUE(stable(paths, "x->f", Wobbling::Paper));
  EXPECT_FALSE(stable(paths, "x->f->g", Wobbling::Paper));
  EXPECT_FALSE(stable(paths, "x->f->g", Wobbling::Refined));
  EXPECT_TRUE(stable(paths, "x->g->f", Wobbling::Paper));
}

TEST(Wobbly, LoadMakesThePathWobbly) {
  WobblyPaths paths = after({"t := x->f"});
  EXPECT_FALSE(stable(paths, "x->f->g", Wobbling::Paper));
  EXPECT_TRUE(stable(paths, "x->f->g", Wobbling::Refined)) << "a copy cannot change which object x->f is";
  EXPECT_FALSE(stable(paths, "x->f->g->h", Wobbling::Refined)) << "but it can change x->f->g";
}

TEST(Wobbly, CopyOfAFormalMakesItWobbly) {
  WobblyPaths paths = after({"t := x"});
  EXPECT_FALSE(stable(paths, "x->f", Wobbling::Paper));
  EXPECT_TRUE(stable(paths, "x->f", Wobbling::Refined));
  EXPECT_FALSE(stable(paths, "x->f->g", Wobbling::Refined));
}

TEST(Wobbly, AllocationMakesTheVariableWobbly) {
  for (Wobbling wobbling : {Wobbling::Paper, Wobbling::Refined})
    EXPECT_FALSE(stable(after({"x := new"}), "x->f", wobbling));
}

TEST(Wobbly, LocalsAreFilteredOut) { EXPECT_TRUE(after({"t := new", "t->f := u"}).paths().empty()); }

TEST(Wobbly, UseKeepsThePathStable) { EXPECT_TRUE(after({"use x->f"}).paths().empty()); }

TEST(Wobbly, PartsOfAnObjectStayWithIt) {
  WobblyPaths paths = after({"x->s := ?"});
  EXPECT_TRUE(stable(paths, "x->s.n", Wobbling::Paper));
  EXPECT_FALSE(stable(paths, "x->s.p->n", Wobbling::Paper));
}

TEST(Wobbly, AddressTakenMayBeChangedThroughIt) {
  EXPECT_FALSE(stable(after({"t := &x->p"}), "x->p->n", Wobbling::Refined));
}

TEST(Wobbly, UnknownElementIsNeverStable) { EXPECT_FALSE(stable({}, "x->a[*]", Wobbling::Refined)); }

WobblyPaths after_call(std::initializer_list<std::string> callee, const std::string& actuals,
                       Wobbling wobbling) {
  WobblyPaths paths;
  wobbly_call(paths, after(callee), actuals_of(actuals), wobbling);
  return paths;
}

// In the callees, `this`, x and y are the formals 0, 1 and 2.
TEST(WobblyCall, ActualsStandForFormals) {
  WobblyPaths paths = after_call({"this->g := t"}, "y->f", Wobbling::Refined);
  EXPECT_FALSE(stable(paths, "y->f->g->h", Wobbling::Refined));
  EXPECT_TRUE(stable(paths, "y->f->g", Wobbling::Refined));
}

TEST(WobblyCall, ChangedFormalIsTheCalleesOwn) {
  EXPECT_FALSE(stable(after_call({"this := new"}, "x", Wobbling::Paper), "x->f", Wobbling::Paper));
  EXPECT_TRUE(stable(after_call({"this := new"}, "x", Wobbling::Refined), "x->f", Wobbling::Refined));
}

TEST(WobblyCall, CopyOfAFormalThatIsThenChangedStillLeaks) {
  WobblyPaths paths = after_call({"t := this", "this := new"}, "x", Wobbling::Refined);
  EXPECT_FALSE(stable(paths, "x->f->g", Wobbling::Refined));
}

TEST(WobblyCall, LeakedAddressMayBeChanged) {
  EXPECT_FALSE(stable(after_call({"t := this"}, "&x->p", Wobbling::Refined), "x->p->n", Wobbling::Refined));
}

TEST(WobblyCall, WB_OverlappingActualsAreWobblyInThePaper) {
  EXPECT_FALSE(stable(after_call({}, "x, x->f", Wobbling::Paper), "x->g", Wobbling::Paper));
  EXPECT_TRUE(stable(after_call({}, "x, x->f", Wobbling::Refined), "x->g", Wobbling::Refined));
  EXPECT_TRUE(stable(after_call({}, "x->f, x->g", Wobbling::Paper), "x->h", Wobbling::Paper));
}

TEST(WobblyCall, UnknownCodeMayKeepWhatItIsGiven) {
  WobblyPaths paths;
  wobbly_unknown_call(paths, actuals_of("this, &x->p"));
  EXPECT_TRUE(stable(paths, "this->n", Wobbling::Refined));
  EXPECT_FALSE(stable(paths, "this->p->n", Wobbling::Refined));
  EXPECT_FALSE(stable(paths, "x->p->n", Wobbling::Refined));
}

LockState locks_after(std::initializer_list<std::string> statements) {
  LockState locks;
  for (const std::string& text : statements) locking(locks, statement_of(text));
  return locks;
}

TEST(Locking, LockIncreases_UnlockDecreases) {
  EXPECT_EQ(locks_after({"lock @m"}).depth(), 1u);
  EXPECT_EQ(locks_after({"lock @m", "lock @m"}).depth(), 2u);
  EXPECT_EQ(locks_after({"lock @m", "lock @m", "unlock @m"}).depth(), 1u);
  EXPECT_EQ(locks_after({"lock @m", "unlock @m"}), (LockState{{}, {}, {path_of("@m")}, {}, {}}));
}

TEST(Locking, CountIsBounded) {
  LockState locks;
  for (unsigned i = 0; i < 2 * LockState::max_count; ++i) locking(locks, statement_of("lock @m"));
  EXPECT_EQ(locks.depth(), LockState::max_count);
}

TEST(Locking, UnlockWithoutLockReleasesTheCallers) {
  LockState outer = locks_after({"lock @m"});
  EXPECT_FALSE(add(outer, locks_after({"unlock @m"})).has_locks());
}

TEST(Locking, UnlockFindsTheModeOfTheLock) {
  EXPECT_FALSE(locks_after({"lock shared @m", "unlock @m"}).has_locks());
}

TEST(Locking, AssumedLockIsHeldOnce) { EXPECT_EQ(locks_after({"assume @m", "assume @m"}).depth(), 1u); }

TEST(Add, SumsUpToTheBound) {
  LockState one = locks_after({"lock @m"}), two = locks_after({"lock @m", "lock @m"});
  EXPECT_EQ(add(one, two).depth(), 3u);
  EXPECT_EQ(add(two, add(two, two)).depth(), LockState::max_count);
}

TEST(Join, Definition43_TakesTheMaximum) {
  LockState one = locks_after({"lock @m"}), two = locks_after({"lock @m", "lock @m"});
  EXPECT_EQ(join(one, two).depth(), 2u);
  EXPECT_EQ(join({}, one).depth(), 1u);
}

TEST(Accs, StoreWrites_LoadReads_PointersOnTheWayAreRead) {
  auto touched = touched_by(statement_of("x->f->g := ?")).accesses;
  ASSERT_EQ(touched.size(), 2u);
  EXPECT_EQ(touched[0], std::pair(path_of("x->f"), AccessKind::Read));
  EXPECT_EQ(touched[1], std::pair(path_of("x->f->g"), AccessKind::Write));
  touched = touched_by(statement_of("t := x->f")).accesses;
  EXPECT_EQ(touched[0], std::pair(path_of("x->f"), AccessKind::Read));
}

TEST(Accs, ActualsAreRead_AddressesAreNot) {
  auto touched = touched_by(statement_of("call f(x->f, &x->g)")).accesses;
  ASSERT_EQ(touched.size(), 1u);
  EXPECT_EQ(touched[0].first, path_of("x->f"));
}

TEST(Substitute, FormalBecomesActual) {
  EXPECT_EQ(substitute(path_of("this->f"), actuals_of("x->g")), path_of("x->g->f"));
  EXPECT_EQ(substitute(path_of("this^"), actuals_of("&x->g")), path_of("x->g"));
  EXPECT_EQ(substitute(path_of("this->f"), actuals_of("&x->s")), path_of("x->s.f"));
  EXPECT_EQ(substitute(path_of("@g"), actuals_of("x")), path_of("@g"));
  EXPECT_EQ(substitute(path_of("this->f"), actuals_of("new")), std::nullopt);
  EXPECT_EQ(substitute(path_of("t->f"), actuals_of("x")), std::nullopt);
}

} // namespace
} // namespace footrace::scan::domain
