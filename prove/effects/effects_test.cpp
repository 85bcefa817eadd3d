// Every rule and definition of paper 001, sections 3 and 4, and its examples.
#include "prove/effects/disjoint.h"

#include <gtest/gtest.h>
#include <string>

namespace footrace::prove::effects {
namespace {

using State = Judgement<std::string>;
constexpr SiteId h1 = 1, h2 = 2;

LoopVector vector_of(std::initializer_list<std::pair<LoopId, Iteration>> entries) {
  LoopVector loops;
  for (auto [loop, value] : entries) loops.set(loop, value);
  return loops;
}
Type type(SiteId site, std::initializer_list<std::pair<LoopId, Iteration>> entries) {
  return {vector_of(entries), site};
}

TEST(Effects, Definition31_JoinKeepsWhatAgrees) {
  Type a = type(h1, {{1, Iteration::One}, {2, Iteration::One}}), b = type(h1, {{1, Iteration::One}});
  EXPECT_EQ(join(MaybeType(a), MaybeType(b)),
            MaybeType(type(h1, {{1, Iteration::One}, {2, Iteration::Top}})));
  EXPECT_EQ(join(MaybeType(a), std::nullopt), MaybeType(a));
  EXPECT_EQ(join(MaybeType(a), MaybeType(type(h2, {})))->site, std::nullopt);
}

TEST(Effects, Definition32_LoopbackForgetsTheIteration) {
  MaybeType carried = loopback(type(h1, {{1, Iteration::One}, {2, Iteration::One}}), 1);
  EXPECT_EQ(carried, MaybeType(type(h1, {{1, Iteration::Top}, {2, Iteration::One}})));
  EXPECT_EQ(loopback(std::nullopt, 1), std::nullopt);
  EXPECT_EQ(loopback(type(h1, {}), 1), MaybeType(type(h1, {})));
}

TEST(Effects, Rule11_NullHasNoType) {
  State state;
  rule_12_new<std::string>(state, "x", h1);
  rule_11_null<std::string>(state, "x");
  EXPECT_EQ(state.types["x"], std::nullopt);
}

TEST(Effects, Rule12_NewTakesActiveLoopsOnly) {
  State state;
  state.active = {1};
  state.now = vector_of({{1, Iteration::One}, {2, Iteration::One}});
  rule_12_new<std::string>(state, "x", h1);
  EXPECT_EQ(state.types["x"], MaybeType(type(h1, {{1, Iteration::One}})));
}

TEST(Effects, Rule13_CopyKeepsTheType) {
  State state;
  rule_12_new<std::string>(state, "y", h1);
  rule_13_copy<std::string>(state, "x", "y");
  EXPECT_EQ(state.types["x"], state.types["y"]);
}

TEST(Effects, Rule14_LoadKnowsNothing) {
  State state;
  rule_14_load<std::string>(state, "x");
  EXPECT_EQ(state.types["x"], MaybeType(top_type()));
}

TEST(Effects, Rule15_StoreOfNullHasNoEffect) {
  State state;
  rule_12_new<std::string>(state, "x", h1);
  rule_11_null<std::string>(state, "y");
  rule_15_store<std::string>(state, "x", "y");
  EXPECT_TRUE(state.effects.empty());
  rule_12_new<std::string>(state, "y", h2);
  rule_15_store<std::string>(state, "x", "y");
  EXPECT_EQ(state.effects, (Effects{{type(h1, {}), type(h2, {})}}));
}

TEST(Effects, Rule16_SequenceCollectsEffects) {
  State state;
  rule_12_new<std::string>(state, "x", h1);
  auto link = [](SiteId site) {
    return [site](State& s) {
      rule_12_new<std::string>(s, "y", site);
      rule_15_store<std::string>(s, "x", "y");
    };
  };
  rule_16_sequence(state, link(h1), link(h2));
  EXPECT_EQ(state.effects.size(), 2u);
}

TEST(Effects, Rule17_IfJoinsBothBranches) {
  State state;
  rule_17_if(
      state, [](State& s) { rule_12_new<std::string>(s, "x", h1); },
      [](State& s) { rule_12_new<std::string>(s, "x", h2); });
  ASSERT_TRUE(state.types["x"]);
  EXPECT_EQ(state.types["x"]->site, std::nullopt);
}

TEST(Effects, Rule18_CarriedObjectIsNotOfThisIteration) {
  State state;
  rule_18_while(state, 1, [](State& s) {
    rule_12_new<std::string>(s, "y", h2);
    rule_15_store<std::string>(s, "x", "y"); // x is null at first, then of the previous iteration
    rule_12_new<std::string>(s, "x", h1);
  });
  EXPECT_EQ(state.effects, (Effects{{type(h1, {{1, Iteration::Top}}), type(h2, {{1, Iteration::One}})}}));
}

State example_2_1() {
  State state;
  rule_18_while(state, 1, [](State& s) {
    rule_12_new<std::string>(s, "x", h1);
    rule_12_new<std::string>(s, "y", h2);
    rule_15_store<std::string>(s, "x", "y");
  });
  return state;
}

State example_3_5(bool is_container) {
  State state;
  rule_18_while(state, 1, [&](State& outer) {
    rule_12_new<std::string>(outer, "x", h1);
    rule_18_while(outer, 2, [&](State& inner) {
      rule_12_new<std::string>(inner, "y", h2);
      if (is_container)
        rule_15_store<std::string>(inner, "x", "y");
      else
        rule_15_store<std::string>(inner, "y", "x");
    });
  });
  return state;
}

TEST(Effects, Example21_LinksObjectsOfOneIteration) {
  State state = example_2_1();
  EXPECT_EQ(state.effects, (Effects{{type(h1, {{1, Iteration::One}}), type(h2, {{1, Iteration::One}})}}));
  EXPECT_TRUE(has_disjoint_reachability(*closure(state.effects), h2, {h1}));
}

TEST(Effects, Example35A_ContainerOwnsItsElements) {
  State state = example_3_5(true);
  EXPECT_EQ(state.effects, (Effects{{type(h1, {{1, Iteration::One}}),
                                     type(h2, {{1, Iteration::One}, {2, Iteration::One}})}}));
  EXPECT_TRUE(has_disjoint_reachability(*closure(state.effects), h2, {h1}));
}

TEST(Effects, Example35B_ParentIsSharedByItsChildren) {
  State state = example_3_5(false);
  EXPECT_EQ(state.effects, (Effects{{type(h2, {{1, Iteration::One}, {2, Iteration::One}}),
                                     type(h1, {{1, Iteration::One}})}}));
  EXPECT_FALSE(has_disjoint_reachability(*closure(state.effects), h1, {h2}));
}

TEST(Effects, Definition42_ClosureLosesTheIterationWithoutALink) {
  Type a = type(1, {{1, Iteration::One}}), c = type(3, {{1, Iteration::One}});
  Effects linked{{a, type(2, {{1, Iteration::One}})}, {type(2, {{1, Iteration::One}}), c}};
  EXPECT_TRUE(closure(linked)->contains({a, c}));
  Effects loose{{a, type(2, {{1, Iteration::Top}})}, {type(2, {{1, Iteration::One}}), c}};
  EXPECT_FALSE(closure(loose)->contains({a, c}));
  EXPECT_TRUE(closure(loose)->contains({a, type(3, {{1, Iteration::Top}})}));
}

TEST(Effects, Definition42_IncompatibleTypesDoNotCompose) {
  Effects effects{{type(1, {}), type(2, {{1, Iteration::One}})}, {type(2, {}), type(3, {})}};
  EXPECT_EQ(*closure(effects), effects);
}

TEST(Effects, Figure9_UnknownOwnerIsNotDisjoint) {
  Effects effects{{top_type(), type(h2, {{1, Iteration::One}})}};
  EXPECT_FALSE(has_disjoint_reachability(*closure(effects), h2, {h1}));
}

TEST(Effects, Figure9_TwoOwnersAreNotDisjoint) {
  Effects effects{{type(h1, {{1, Iteration::One}}), type(3, {{1, Iteration::One}})},
                  {type(h2, {{1, Iteration::One}}), type(3, {{1, Iteration::One}})}};
  EXPECT_FALSE(has_disjoint_reachability(*closure(effects), 3, {h1, h2}));
  EXPECT_TRUE(has_disjoint_reachability(*closure(effects), 3, {h1}));
}

} // namespace
} // namespace footrace::prove::effects
