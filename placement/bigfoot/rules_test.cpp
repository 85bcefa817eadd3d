// One test per rule of BigFoot's Figure 7, on contexts of two paths: p (bits 0, 1) and q (bits 2, 3), each read and write.
#include "placement/bigfoot/rules.h"

#include <gtest/gtest.h>

namespace footrace::bigfoot {
namespace {

PathSet set(std::initializer_list<unsigned> bits) {
  PathSet paths(4);
  for (const unsigned bit : bits) paths.set(bit);
  return paths;
}
const PathSet none = set({}), p_read = set({0}), p_write = set({0, 1}), q_read = set({2}),
              q_write = set({2, 3});
const PathSet both = set({0, 1, 2, 3});

TEST(Rules, Checks_AreAccessesNeitherCheckedNorAnticipated) {
  EXPECT_EQ(checks({p_write, none}, none), p_write);
  EXPECT_EQ(checks({p_write, p_write}, none), none);
  EXPECT_EQ(checks({p_write, none}, p_write), none);
}

TEST(Rules, Checks_AReadDoesNotStandForAWrite) {
  EXPECT_EQ(checks({p_write, p_read}, none), p_write) << "a read check does not cover a write";
  EXPECT_EQ(checks({p_write, none}, p_read), p_write) << "an anticipated read will not check a write";
  EXPECT_EQ(checks({p_read, p_write}, none), none) << "a write check covers a read";
}

TEST(Rules, Checks_OfAnApproximationAreWhatItForgets) {
  EXPECT_EQ(checks({both, none}, p_write, none), q_write);
  EXPECT_EQ(checks({both, none}, p_write, q_write), none);
}

TEST(Rules, Acq_ChecksAllThatIsPendingAndForgetsNothing) {
  History history{both, p_write};
  EXPECT_EQ(acq(history), q_write);
  EXPECT_EQ(history.accesses, both);
  EXPECT_EQ(history.checks, both);
  Anticipated anticipated = p_read;
  acq(anticipated);
  EXPECT_TRUE(anticipated.none());
}

TEST(Rules, Rel_ChecksWhatIsNotAnticipatedAndForgetsTheHistory) {
  History history{both, none};
  EXPECT_EQ(rel(history, p_write), q_write);
  EXPECT_TRUE(history.accesses.none());
  EXPECT_TRUE(history.checks.none());
}

TEST(Rules, Assign_KillsThePathsThatMentionTheVariable) {
  History history{both, both};
  assign(history, p_write);
  EXPECT_EQ(history.accesses, q_write);
  EXPECT_EQ(history.checks, q_write);
  Anticipated anticipated = both;
  assign(anticipated, p_write);
  EXPECT_EQ(anticipated, q_write);
}

TEST(Rules, Rename_ChecksWhatLosesItsName) {
  History history{both, none};
  EXPECT_EQ(rename(history, p_write), p_write);
  EXPECT_EQ(history.accesses, q_write);
}

TEST(Rules, New_IsNotAnticipatedBeforeItExists) {
  Anticipated anticipated = both;
  new_object(anticipated, q_write);
  EXPECT_EQ(anticipated, p_write);
}

TEST(Rules, Read_IsAPastAndAnAnticipatedAccess) {
  History history{none, none};
  read(history, p_read);
  EXPECT_EQ(history.accesses, p_read);
  Anticipated anticipated = q_read;
  read(anticipated, p_read, &q_read); // q mentions the variable that is read into
  EXPECT_EQ(anticipated, p_read);
}

TEST(Rules, Write_IsAPastAndAnAnticipatedAccess) {
  History history{none, none};
  write(history, p_write);
  EXPECT_EQ(history.accesses, p_write);
  Anticipated anticipated = q_read;
  write(anticipated, p_write);
  EXPECT_EQ(anticipated, set({0, 1, 2}));
}

TEST(Rules, ARead_IsAPastAndAnAnticipatedAccess) {
  History history{none, none};
  a_read(history, p_read);
  EXPECT_EQ(history.accesses, p_read);
  Anticipated anticipated = none;
  a_read(anticipated, p_read, nullptr);
  EXPECT_EQ(anticipated, p_read);
}

TEST(Rules, AWrite_IsAPastAndAnAnticipatedAccess) {
  History history{none, none};
  a_write(history, q_write);
  EXPECT_EQ(history.accesses, q_write);
  Anticipated anticipated = none;
  a_write(anticipated, q_write);
  EXPECT_EQ(anticipated, q_write);
}

TEST(Rules, If_ChecksWhatOnlyOneBranchAccessed) {
  History history{both, none};
  EXPECT_EQ(if_branch(history, p_write, none), q_write);
  EXPECT_EQ(history.checks, q_write);
  History anticipated{both, none};
  EXPECT_EQ(if_branch(anticipated, p_write, q_write), none);
}

TEST(Rules, Loop_KeepsTheInvariantPending) {
  History in{both, none};
  EXPECT_EQ(loop_in(in, p_write, none, false), q_write);
  History back{both, none};
  EXPECT_EQ(loop_back(back, none, q_write, false), p_write);
}

TEST(Rules, Loop_ThatMayNotEndKeepsNothingPending) {
  History in{both, none};
  EXPECT_EQ(loop_in(in, both, q_write, true), p_write)
      << "q is checked with the access that is certain to follow";
  History back{both, none};
  EXPECT_EQ(loop_back(back, both, both, true), both);
}

TEST(Rules, Call_ByWhatItKills) {
  const auto after = [](Effects effects) {
    History history{both, none};
    const PathSet checked = call(history, p_write, effects);
    return std::tuple(checked, history.accesses.any(), history.checks.any());
  };
  EXPECT_EQ(after(Effects::none()), std::tuple(none, true, false));
  EXPECT_EQ(after(Effect::Acquire), std::tuple(both, true, true));
  EXPECT_EQ(after(Effect::Release), std::tuple(q_write, false, false));
  EXPECT_EQ(after(Effects::unknown()), std::tuple(both, false, false));
}

TEST(Rules, Call_ThatMayLoseACheckEndsTheRange) {
  for (const Effect effect : {Effect::Throws, Effect::NoReturn, Effect::Frees, Effect::ReturnsTwice}) {
    History history{both, none};
    EXPECT_EQ(call(history, both, effect), both);
    EXPECT_EQ(history.checks, both) << "what was checked stays so";
    Anticipated anticipated = both;
    call(anticipated, effect);
    EXPECT_TRUE(anticipated.none());
  }
  Anticipated released = both;
  call(released, Effect::Release);
  EXPECT_EQ(released, both) << "a release does not end what is anticipated";
}

TEST(Rules, Stmt_ChecksAllThatIsPending) {
  History history{both, p_read};
  EXPECT_EQ(stmt(history), both);
  EXPECT_TRUE(stmt(history).none());
}

// [SEQ]: y = b.f between two critical sections; the check before the acquire is for all three accesses of Figure 3.
TEST(Rules, Seq_Figure3) {
  History history{none, none};
  Anticipated after_rel = p_read; // the read between the critical sections
  read(history, p_read);          // x = b.f, in the first
  EXPECT_EQ(rel(history, after_rel), none);
  read(history, p_read);
  EXPECT_EQ(acq(history), p_read);
  read(history, p_read);
  EXPECT_EQ(rel(history, none), none) << "checked before the acquire";
}

} // namespace
} // namespace footrace::bigfoot
