#include "facts/loops.h"

#include "facts/parsed_ir_test.h"

#include "llvm/Analysis/ScalarEvolutionExpressions.h"

using namespace llvm;

namespace footrace {
namespace {

std::string text(const SCEV* value) {
  std::string result;
  raw_string_ostream(result) << *value;
  return result;
}

// The function @f, its innermost loop (the last in preorder), and the write to memory in it.
class OneLoop {
public:
  explicit OneLoop(const std::string& body) : ir_(body), summaries_(ir_.summaries()) {
    Function& f = ir_.function("f");
    accesses_ = collect_accesses(f);
  }

  FunctionAnalyses analyses() { return ir_.analyses(ir_.function("f")); }
  Loop& inner() { return *analyses().loops.getLoopsInPreorder().back(); }
  LoopFacts facts(Loop& loop) { return loop_facts(loop, analyses(), summaries_); }
  LoopFacts facts() { return facts(inner()); }
  const Access& write() {
    for (const Access& access : accesses_)
      if (access.kind == AccessKind::Write) return access;
    abort();
  }
  std::string range() {
    const LoopFacts loop = facts();
    const std::optional<StridedRange> range = LoopRanges(loop, analyses()).range(write());
    return range ? print(*range) : "none";
  }
  static std::string print(const StridedRange& range) {
    return text(range.first) + " step " + text(range.stride) + " size " + std::to_string(range.size) +
           " count " + text(range.count);
  }

private:
  ParsedIr ir_;
  Summaries summaries_;
  AccessList accesses_;
};

// for (i = 0; i < n; i += step) { <body>; a[i] = 0 }, tested at the end.
std::string counted(const std::string& body, const std::string& extra = "") {
  return R"(
define void @f(ptr %a, ptr %flag, i64 %n, i64 %s) {
entry:
  %guard = icmp sgt i64 %n, 0
  br i1 %guard, label %loop, label %done
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
)" + body +
         R"(
  br label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp slt i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
}
)" + extra;
}

const std::string store_element =
    "  %p = getelementptr inbounds i32, ptr %a, i64 %i\n  store i32 0, ptr %p\n";

TEST(Loops, CountedLoop_IsFiniteAndHasATripCount) {
  OneLoop loop(counted(store_element));
  EXPECT_EQ(loop.facts().finite, Finiteness::TripCount);
  EXPECT_TRUE(loop.facts().effects.has_none());
  ASSERT_NE(loop.facts().backedges_taken, nullptr);
  EXPECT_EQ(text(loop.facts().backedges_taken), "(-1 + %n)");
}

TEST(StridedRange, CountedLoop_IsContiguous) {
  OneLoop loop(counted(store_element));
  EXPECT_EQ(loop.range(), "%a step 4 size 4 count %n");
  const LoopFacts facts = loop.facts();
  EXPECT_TRUE(LoopRanges(facts, loop.analyses()).range(loop.write())->has_no_holes());
}

TEST(StridedRange, StructsInAnArray_AreStrided) {
  OneLoop loop(counted(
      "  %p = getelementptr inbounds { i64, i32, i32 }, ptr %a, i64 %i, i32 1\n  store i32 0, ptr %p\n"));
  EXPECT_EQ(loop.range(), "(8 + %a) step 16 size 4 count %n");
  const LoopFacts facts = loop.facts();
  EXPECT_FALSE(LoopRanges(facts, loop.analyses()).range(loop.write())->has_no_holes());
}

TEST(StridedRange, BackwardsLoop_HasANegativeStride) {
  OneLoop loop(R"(
define void @f(ptr %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ %n, %entry ], [ %next, %loop ]
  %p = getelementptr inbounds i32, ptr %a, i64 %i
  store i32 0, ptr %p
  %next = add nsw i64 %i, -1
  %more = icmp ne i64 %i, 0
  br i1 %more, label %loop, label %done
done:
  ret void
})");
  EXPECT_EQ(loop.range(), "((4 * %n) + %a) step -4 size 4 count (1 + %n)");
}

TEST(StridedRange, PointerIncrementLoop_IsARange) {
  OneLoop loop(R"(
define void @f(ptr %begin, ptr %end) mustprogress {
entry:
  %empty = icmp eq ptr %begin, %end
  br i1 %empty, label %done, label %loop
loop:
  %p = phi ptr [ %begin, %entry ], [ %next, %loop ]
  store i64 0, ptr %p
  %next = getelementptr inbounds i64, ptr %p, i64 1
  %stop = icmp eq ptr %next, %end
  br i1 %stop, label %done, label %loop
done:
  ret void
})");
  EXPECT_EQ(loop.facts().finite, Finiteness::TripCount);
  EXPECT_TRUE(loop.range().starts_with("%begin step 8 size 8 count (1 + ")) << loop.range();
}

TEST(StridedRange, SymbolicStride_IsKept) {
  OneLoop loop(counted(
      "  %k = mul i64 %i, %s\n  %p = getelementptr inbounds i32, ptr %a, i64 %k\n  store i32 0, ptr %p\n"));
  EXPECT_EQ(loop.range(), "%a step (4 * %s) size 4 count %n");
}

TEST(StridedRange, InvariantAddress_HasStrideZero) {
  OneLoop loop(counted("  store i32 0, ptr %a\n"));
  EXPECT_EQ(loop.range(), "%a step 0 size 4 count %n");
}

TEST(StridedRange, AccessAfterTheTest_RunsOnceLess) {
  OneLoop loop(R"(
define void @f(ptr %a, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %more = icmp ult i64 %i, %n
  br i1 %more, label %body, label %done
body:
  %p = getelementptr inbounds i32, ptr %a, i64 %i
  store i32 0, ptr %p
  %next = add nuw nsw i64 %i, 1
  br label %head
done:
  ret void
})");
  EXPECT_EQ(loop.range(), "%a step 4 size 4 count %n");
}

TEST(StridedRange, ConditionalAccess_HasNone) {
  OneLoop loop(counted(R"(
  %c = load i1, ptr %flag
  br i1 %c, label %then, label %latch
then:
  %p = getelementptr inbounds i32, ptr %a, i64 %i
  store i32 0, ptr %p
)"));
  EXPECT_EQ(loop.range(), "none");
}

TEST(StridedRange, IndexFromMemory_HasNone) {
  OneLoop loop(counted("  %k = load i64, ptr %flag\n  %p = getelementptr inbounds i32, ptr %a, i64 %k\n  "
                       "store i32 0, ptr %p\n"));
  EXPECT_EQ(loop.range(), "none");
}

TEST(StridedRange, NarrowIndexThatMayWrap_HasNone) {
  OneLoop loop(R"(
define void @f(ptr %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %k = trunc i64 %i to i8
  %x = zext i8 %k to i64
  %p = getelementptr inbounds i32, ptr %a, i64 %x
  store i32 0, ptr %p
  %next = add nuw nsw i64 %i, 1
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
})");
  EXPECT_EQ(loop.range(), "none");
}

TEST(Loops, SpinOnAPlainFlag_IsNotFinite) {
  OneLoop loop(R"(
define void @f(ptr %flag) mustprogress {
entry:
  br label %loop
loop:
  store i32 1, ptr %flag
  %v = load i32, ptr %flag
  %c = icmp eq i32 %v, 0
  br i1 %c, label %loop, label %done
done:
  ret void
})");
  EXPECT_EQ(loop.facts().finite, Finiteness::Unknown);
  EXPECT_TRUE(loop.facts().effects.may_not_return());
}

// Until somebody changes the bound: a spin with a counter.
TEST(Loops, StepThatMayBeZero_IsNotFinite) {
  OneLoop loop(R"(
define void @f(ptr %a, i64 %n, i64 %s) mustprogress {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr inbounds i32, ptr %a, i64 %i
  store i32 0, ptr %p
  %next = add nuw nsw i64 %i, %s
  %more = icmp ult i64 %next, %n
  br i1 %more, label %loop, label %done
done:
  ret void
})");
  EXPECT_EQ(loop.facts().finite, Finiteness::Unknown);
}

// for (i = 0; i < *flag; i++): whoever writes the flag says when it ends.
std::string until(const std::string& type) {
  return "define void @f(ptr %flag, ptr %a) mustprogress {\nentry:\n  br label %loop\nloop:\n  %i = phi " +
         type + " [ 0, %entry ], [ %next, %loop ]\n  store i8 0, ptr %a\n  %n = load " + type +
         ", ptr %flag\n  %next = add nuw nsw " + type + " %i, 1\n  %more = icmp slt " + type +
         " %next, %n\n  br i1 %more, label %loop, label %done\ndone:\n  ret void\n}";
}

TEST(Loops, BoundThatOthersMayChange_IsNotFinite) {
  EXPECT_EQ(OneLoop(until("i64")).facts().finite, Finiteness::Unknown);
  EXPECT_EQ(OneLoop(until("i32")).facts().finite, Finiteness::Unknown);
}

TEST(Loops, ListWalk_IsNotFinite) {
  OneLoop loop(R"(
define void @f(ptr %list) mustprogress {
entry:
  br label %loop
loop:
  %p = phi ptr [ %list, %entry ], [ %next, %loop ]
  store i32 0, ptr %p
  %link = getelementptr i8, ptr %p, i64 8
  %next = load ptr, ptr %link
  %c = icmp eq ptr %next, null
  br i1 %c, label %done, label %loop
done:
  ret void
})");
  EXPECT_EQ(loop.facts().finite, Finiteness::Unknown);
}

const std::string search = counted(R"(
  %p = getelementptr inbounds i32, ptr %a, i64 %i
  store i32 0, ptr %p
  %v = load i32, ptr %flag
  %found = icmp eq i32 %v, 7
  br i1 %found, label %done, label %latch
dead:)");

TEST(Loops, SearchLoop_IsFiniteWithTwoExits) {
  OneLoop loop(search);
  EXPECT_EQ(loop.facts().finite, Finiteness::TripCount);
  EXPECT_EQ(loop.facts().exits.size(), 2u);
  EXPECT_EQ(loop.facts().backedges_taken, nullptr);
  EXPECT_EQ(loop.range(), "none");
}

TEST(StridedRange, AtAnExitOfASearch_CountsTheIterationsSoFar) {
  OneLoop loop(search);
  const LoopFacts facts = loop.facts();
  const LoopRanges ranges(facts, loop.analyses());
  for (const LoopExit& exit : facts.exits) {
    const std::optional<StridedRange> range = ranges.range_at_exit(loop.write(), exit);
    ASSERT_TRUE(range);
    if (exit.backedges_taken == nullptr)
      EXPECT_EQ(OneLoop::print(*range), "%a step 4 size 4 count {1,+,1}<nuw><nsw><%loop>");
    else
      EXPECT_EQ(OneLoop::print(*range), "%a step 4 size 4 count %n");
  }
}

// for (i = 0; i < rows; i++) for (j = 0; j < columns; j++) a[i * pitch + j] = 0
std::string nested(const std::string& pitch, const std::string& columns) {
  return R"(
define void @f(ptr %a, i64 %rows, i64 %columns, i64 %pitch) {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %inext, %olatch ]
  %row = mul nuw nsw i64 %i, )" +
         pitch + R"(
  %i1 = add nuw nsw i64 %i, 1
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %jnext, %inner ]
  %k = add nuw nsw i64 %row, %j
  %p = getelementptr inbounds i32, ptr %a, i64 %k
  store i32 0, ptr %p
  %jnext = add nuw nsw i64 %j, 1
  %jmore = icmp ne i64 %jnext, )" +
         columns + R"(
  br i1 %jmore, label %inner, label %olatch
olatch:
  %inext = add nuw nsw i64 %i, 1
  %imore = icmp ne i64 %inext, 1000
  br i1 %imore, label %outer, label %done
done:
  ret void
})";
}

std::string widened(const std::string& pitch, const std::string& columns) {
  OneLoop loops(nested(pitch, columns));
  const LoopFacts inner = loops.facts();
  const LoopFacts outer = loops.facts(*inner.loop->getParentLoop());
  const std::optional<StridedRange> row = LoopRanges(inner, loops.analyses()).range(loops.write());
  EXPECT_TRUE(row);
  const std::optional<StridedRange> all = LoopRanges(outer, loops.analyses()).widen(*row, *inner.preheader);
  return all ? OneLoop::print(*all) : "none";
}

TEST(StridedRange, AdjacentRows_AreOneRange) {
  EXPECT_EQ(widened("%columns", "%columns"), "%a step 4 size 4 count (1000 * %columns)");
}

TEST(StridedRange, RowsWithGaps_StayRows) { EXPECT_EQ(widened("%pitch", "%columns"), "none"); }

TEST(StridedRange, SameRowAgain_IsThatRow) {
  EXPECT_EQ(widened("0", "%columns"), "%a step 4 size 4 count %columns");
}

TEST(StridedRange, TriangularRowsOfOneStart_AreTheLongest) {
  EXPECT_EQ(widened("0", "%i1"), "%a step 4 size 4 count 1000");
}

TEST(StridedRange, TriangularRowsOfTheirOwnStarts_StayRows) { EXPECT_EQ(widened("%pitch", "%i1"), "none"); }

TEST(Loops, CallThatMayLock_IsAnEffectOfTheLoop) {
  OneLoop loop(counted(store_element + "  %r = call i32 @pthread_mutex_lock(ptr %flag)\n",
                       "declare i32 @pthread_mutex_lock(ptr)\n"));
  EXPECT_EQ(loop.facts().effects, Effects(Effect::Acquire));
}

TEST(Loops, InnerLoopThatMayNotEnd_IsAnEffectOfTheOuter) {
  OneLoop loops(R"(
define void @f(ptr %a, ptr %flag) {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %next, %latch ]
  %p = getelementptr inbounds i32, ptr %a, i64 %i
  store i32 0, ptr %p
  br label %inner
inner:
  %v = load i32, ptr %flag
  %c = icmp eq i32 %v, 0
  br i1 %c, label %inner, label %latch
latch:
  %next = add nuw nsw i64 %i, 1
  %more = icmp ne i64 %next, 100
  br i1 %more, label %outer, label %done
done:
  ret void
})");
  const LoopFacts outer = loops.facts(*loops.inner().getParentLoop());
  EXPECT_EQ(outer.finite, Finiteness::TripCount);
  EXPECT_TRUE(outer.effects.may_not_return());
}

} // namespace
} // namespace footrace
