#include "scan/domain/domain_test.h"

namespace footrace::scan::domain {
namespace {

const SharedRoots this_and_this = {il::formal(0, "this"), il::formal(0, "this")};

LockState taking(std::initializer_list<std::string> statements) {
  LockState locks;
  for (const std::string& text : statements) locking(locks, statement_of(text));
  return locks;
}
bool together(std::initializer_list<std::string> a, std::initializer_list<std::string> b) {
  return may_hold_together(taking(a), taking(b), this_and_this);
}

TEST(MustDiffer, MembersOfOneObject) {
  EXPECT_TRUE(must_differ(path_of("this->m"), path_of("this->n"), this_and_this));
  EXPECT_TRUE(must_differ(path_of("this->s.m"), path_of("this->s.n"), this_and_this));
  EXPECT_FALSE(must_differ(path_of("this->m"), path_of("this->m"), this_and_this));
  EXPECT_FALSE(must_differ(path_of("this->s"), path_of("this->s.m"), this_and_this));
}

TEST(MustDiffer, PointersMayBeEqual) {
  EXPECT_FALSE(must_differ(path_of("this->p^"), path_of("this->q^"), this_and_this));
  EXPECT_FALSE(must_differ(path_of("this->m"), path_of("this->p->m"), this_and_this));
  EXPECT_FALSE(must_differ(path_of("this->m"), path_of("x->n"), this_and_this));
  EXPECT_FALSE(must_differ(path_of("this->a[*]"), path_of("this->m"), this_and_this));
}

TEST(MustDiffer, Globals) {
  EXPECT_TRUE(must_differ(path_of("@a"), path_of("@b"), this_and_this));
  EXPECT_FALSE(must_differ(path_of("@a"), path_of("@a"), this_and_this));
  EXPECT_TRUE(must_differ(path_of("@a"), path_of("this->m"), this_and_this));
  EXPECT_FALSE(must_differ(path_of("@object.m"), path_of("this->m"), this_and_this));
  EXPECT_FALSE(must_differ(path_of("@p^"), path_of("@q^"), this_and_this));
}

TEST(MustDiffer, UnknownLockMayBeAny) {
  EXPECT_FALSE(must_differ(unknown_lock(), path_of("this->m"), this_and_this));
  EXPECT_FALSE(must_differ(path_of("@a"), unknown_lock(), this_and_this));
}

TEST(MayHoldTogether, Theorem610_OneSideWithoutLock) {
  EXPECT_TRUE(together({}, {"lock @m"}));
  EXPECT_TRUE(together({}, {}));
  EXPECT_FALSE(together({"lock @m"}, {"lock @m"}));
}

TEST(MayHoldTogether, DifferentLocksProtectNothing) {
  EXPECT_TRUE(together({"lock this->m"}, {"lock this->n"}));
}

TEST(MayHoldTogether, OneCommonLockIsEnough) {
  EXPECT_FALSE(together({"lock this->m", "lock this->n"}, {"lock this->n"}));
}

TEST(MayHoldTogether, SharedModesAreCompatible) {
  EXPECT_TRUE(together({"lock shared this->m"}, {"lock shared this->m"}));
  EXPECT_FALSE(together({"lock shared this->m"}, {"lock this->m"}));
}

TEST(MayHoldTogether, NotIfEachWaitsForTheOther) {
  std::initializer_list<std::string> a = {"lock this->m", "lock this->n", "unlock this->n"};
  std::initializer_list<std::string> b = {"lock this->n", "lock this->m", "unlock this->m"};
  EXPECT_FALSE(together(a, b));
  EXPECT_TRUE(together(a, {"lock this->n"})) << "the second can be first";
}

TEST(MayHoldTogether, LocksReleasedBeforeTheOutermostDoNotMatter) {
  EXPECT_TRUE(together({"lock this->n", "unlock this->n", "lock this->m"},
                       {"lock this->m", "unlock this->m", "lock this->n"}));
}

TEST(Add, NestedLocksOfCalleesCount) {
  LockState outer = taking({"lock this->m"}), inner = taking({"lock this->n", "unlock this->n"});
  EXPECT_TRUE(add(outer, inner).nested.contains(path_of("this->n")));
  EXPECT_TRUE(add({}, inner).nested.empty());
}

} // namespace
} // namespace footrace::scan::domain
