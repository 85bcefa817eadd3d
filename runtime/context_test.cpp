#include "runtime/intern_table.h"
#include "runtime/thread.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>
#include <vector>

using namespace footrace;

namespace {

struct ContextTest : testing::Test {
  Thread t;
  ContextTest() { context_start(&t, 1 << 20); }
  ~ContextTest() override { context_finish(&t); }

  Frame* enter(uptr pc) {
    Frame* top = t.context.top;
    begin_frame(top, pc, false);
    t.context.top = top + 1;
    return top;
  }
  std::vector<uptr> frames(ContextId id) {
    std::vector<uptr> out(1000);
    out.resize(context_frames(id, out.data(), 1000));
    return out;
  }
};

TEST_F(ContextTest, EmptyStack_IsContextZero) {
  EXPECT_EQ(current_context(&t), 0u);
  EXPECT_TRUE(frames(0).empty());
}

TEST_F(ContextTest, Frames_ComeBackInnermostFirst) {
  enter(1), enter(2), enter(3);
  EXPECT_EQ(frames(current_context(&t)), (std::vector<uptr>{3, 2, 1}));
  EXPECT_EQ(frames(context_at(&t, 9)), (std::vector<uptr>{9, 3, 2, 1}));
}

TEST_F(ContextTest, Recursion_ShowsTwoRoundsAndBothEnds) {
  enter(1);
  for (int i = 0; i < 50; ++i) enter(2), enter(3);
  enter(4);
  EXPECT_EQ(frames(current_context(&t)), (std::vector<uptr>{4, 3, 2, 3, 2, 1}));
}

TEST_F(ContextTest, WalkOfATree_MakesFewContexts) {
  std::vector<ContextId> seen;
  auto walk = [&](auto& self, u32 depth) -> void {
    seen.push_back(current_context(&t));
    for (uptr side : {0x10, 0x20}) {
      if (!depth) return;
      Frame* top = enter(side);
      self(self, depth - 1);
      t.context.top = top;
    }
  };
  walk(walk, 12);
  std::sort(seen.begin(), seen.end());
  EXPECT_LT(std::unique(seen.begin(), seen.end()) - seen.begin(), 32);
}

TEST_F(ContextTest, EqualStacks_ShareTheirId) {
  enter(1);
  Frame* second = enter(2);
  ContextId id = current_context(&t);
  t.context.top = second; // leave
  enter(3);
  EXPECT_NE(current_context(&t), id);
  t.context.top = second;
  enter(2);
  EXPECT_EQ(current_context(&t), id);
}

TEST_F(ContextTest, SameFunctionFromAnotherCaller_IsAnotherContext) {
  Frame* bottom = enter(1);
  enter(5);
  ContextId first = current_context(&t);
  t.context.top = bottom;
  enter(2), enter(5);
  EXPECT_NE(current_context(&t), first);
}

TEST_F(ContextTest, CapacitySmallerThanStack_KeepsTheInnermost) {
  for (uptr pc = 1; pc <= 10; ++pc) enter(pc);
  uptr out[3];
  EXPECT_EQ(context_frames(current_context(&t), out, 3), 3u);
  EXPECT_EQ(out[0], 10u);
  EXPECT_EQ(out[2], 8u);
}

TEST_F(ContextTest, OnlyNewFrames_AreInterned) {
  Frame* first = enter(1);
  ContextId id = current_context(&t);
  EXPECT_EQ(first->node, id);
  first->pc = 77; // would be seen if the frame were looked at again
  enter(2);
  EXPECT_EQ(frames(current_context(&t)), (std::vector<uptr>{2, 1}));
}

TEST_F(ContextTest, StackOfSmallThread_HoldsAFramePerSixteenBytes) {
  EXPECT_GE(u64(t.context.limit - t.context.base), (1u << 20) / 16);
}

TEST_F(ContextTest, UnlimitedStack_IsCut) {
  Thread main;
  context_start(&main, ~0ull);
  EXPECT_EQ(u64(main.context.limit - main.context.base) * sizeof(Frame), 1ull << 30);
  context_finish(&main);
  EXPECT_EQ(main.context.base, main.context.limit);
}

TEST_F(ContextTest, BelowTheOutermostFrame_ThereIsAlwaysOne) {
  Thread fresh;
  for (Context* c : {&t.context, &fresh.context}) {
    EXPECT_EQ(c->top, c->base);
    EXPECT_EQ(c->top[-1].era, 0u);
    EXPECT_EQ(c->top[-1].node, 0u);
  }
  EXPECT_EQ(fresh.context.limit, fresh.context.base) << "no frame can be pushed";
}

TEST_F(ContextTest, ForgottenPlaces_LeaveTheContexts) {
  enter(1), enter(2);
  const ContextId id = current_context(&t);
  for (Frame* f = t.context.base - 1; f != t.context.top; ++f) f->era = 7;
  forget_places(t.context);
  for (Frame* f = t.context.base - 1; f != t.context.top; ++f) EXPECT_EQ(f->era, 0u);
  EXPECT_EQ(t.context.top[-1].node, id);
}

struct Number {
  u64 value;
  bool same(const Number& other) const { return value == other.value; }
  u64 hash() const { return value & 3; } // collisions everywhere
};

TEST(InternTable, Full_ReturnsNothingAndKeepsWhatItHas) {
  InternTable<Number, 100> table;
  for (u64 i = 0; i < 100; ++i) EXPECT_NE(table.intern({i}), 0u);
  EXPECT_EQ(table.intern({100}), 0u);
  for (u64 i = 0; i < 100; ++i) EXPECT_EQ(table.get(table.intern({i}))->value, i);
  EXPECT_EQ(table.get(0), nullptr);
  EXPECT_EQ(table.get(101), nullptr);
}

struct Hashed {
  u64 value;
  bool same(const Hashed& other) const { return value == other.value; }
  u64 hash() const { return mix_hash(value); }
};

TEST(InternTable, ThreadsInterningTheSameNodes_AgreeOnTheIds) {
  static InternTable<Hashed, 1 << 20> table;
  constexpr u64 kNodes = 50'000; // several times as many as the first index holds
  std::vector<std::vector<u32>> ids(3, std::vector<u32>(kNodes));
  std::vector<std::thread> threads;
  for (auto& mine : ids)
    threads.emplace_back([&mine] {
      for (u64 i = 0; i < kNodes; ++i) mine[i] = table.intern({i});
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ids[0], ids[1]);
  EXPECT_EQ(ids[0], ids[2]);
  EXPECT_EQ(table.count(), kNodes);
  for (u64 i = 0; i < kNodes; ++i) ASSERT_EQ(table.get(ids[0][i])->value, i);
}

TEST(InternTable, IsNew_OnlyTheFirstTime) {
  InternTable<Hashed, 10> table;
  bool is_new;
  table.intern({5}, &is_new);
  EXPECT_TRUE(is_new);
  table.intern({5}, &is_new);
  EXPECT_FALSE(is_new);
}

} // namespace
