// Points-to on small modules: fields, cycles, indices, calls through pointers, contexts, thread handles.
#include "prove/pointsto.h"
#include "prove/program.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"

#include <gtest/gtest.h>

namespace footrace::prove {
namespace {

class PointsToTest : public testing::Test {
protected:
  void solve(const std::string& assembly, PointsToOptions options = {}) {
    llvm::Expected<Program> parsed = parse_program(assembly);
    ASSERT_TRUE(static_cast<bool>(parsed)) << llvm::toString(parsed.takeError());
    program = std::move(*parsed);
    pointers = std::make_unique<PointsTo>(*program.module, options);
    ASSERT_TRUE(pointers->solve());
  }

  const llvm::Value* value(const char* function, const char* name) {
    for (const llvm::Instruction& inst : llvm::instructions(*program.module->getFunction(function)))
      if (inst.getName() == name) return &inst;
    return nullptr;
  }

  // Names of what the value may point to, in any instance of its function.
  std::set<std::string> targets(const char* function, const char* name) {
    std::set<std::string> found;
    for (InstanceId id = 0; id < pointers->instances().size(); id++)
      if (pointers->instances()[id].function->getName() == function)
        for (LocationId location : pointers->points_to(value(function, name), id)) {
          const Location& at = pointers->memory().at(location);
          const llvm::Value* site = pointers->memory()[at.object].site;
          found.insert((site ? site->getName().str() : "?") + "+" + std::to_string(at.offset));
        }
    return found;
  }

  using Names = std::set<std::string>;
  Program program;
  std::unique_ptr<PointsTo> pointers;
};

TEST_F(PointsToTest, FieldsOfARecordAreApart) {
  solve(R"(
    @x = global i32 0
    @y = global i32 0
    define i32 @main() {
      %r = alloca { ptr, ptr }
      %second = getelementptr { ptr, ptr }, ptr %r, i32 0, i32 1
      store ptr @x, ptr %r
      store ptr @y, ptr %second
      %a = load ptr, ptr %r
      %b = load ptr, ptr %second
      ret i32 0
    })");
  EXPECT_EQ(targets("main", "a"), Names{"x+0"});
  EXPECT_EQ(targets("main", "b"), Names{"y+0"});
}

constexpr const char* constant_indices = R"(
    @x = global i32 0
    @y = global i32 0
    @table = global [2 x ptr] zeroinitializer
    define i32 @main() {
      store ptr @x, ptr @table
      store ptr @y, ptr getelementptr ([2 x ptr], ptr @table, i32 0, i32 1)
      %a = load ptr, ptr @table
      ret i32 0
    })";

TEST_F(PointsToTest, ConstantIndicesAreApart) {
  solve(constant_indices);
  EXPECT_EQ(targets("main", "a"), Names{"x+0"});
}

TEST_F(PointsToTest, CollapsedArraysAreOneElement) {
  solve(constant_indices, {.collapse_arrays = true});
  EXPECT_EQ(targets("main", "a"), (Names{"x+0", "y+0"}));
}

TEST_F(PointsToTest, VariableIndexMergesTheElements) {
  solve(R"(
    @x = global i32 0
    @table = global [4 x ptr] zeroinitializer
    define i32 @main(i32 %i) {
      %slot = getelementptr [4 x ptr], ptr @table, i32 0, i32 %i
      store ptr @x, ptr %slot
      %a = load ptr, ptr getelementptr ([4 x ptr], ptr @table, i32 0, i32 3)
      ret i32 0
    })");
  EXPECT_EQ(targets("main", "a"), Names{"x+0"});
}

TEST_F(PointsToTest, CyclesOfCopiesBecomeOneNode) {
  solve(R"(
    @x = global ptr null
    @y = global ptr null
    @start = global i32 0
    define i32 @main() {
      store ptr @start, ptr @x
      %a = load ptr, ptr @x
      store ptr %a, ptr @y
      %b = load ptr, ptr @y
      store ptr %b, ptr @x
      ret i32 0
    })");
  EXPECT_EQ(targets("main", "a"), Names{"start+0"});
  EXPECT_EQ(targets("main", "b"), Names{"start+0"});
  EXPECT_GT(pointers->solver().statistics().cycles, 0u);
}

TEST_F(PointsToTest, CallThroughPointerReachesItsTargetsOnly) {
  solve(R"(
    @chosen = global ptr @first
    define ptr @first(ptr %p) { ret ptr %p }
    define ptr @second(ptr %p) { ret ptr %p }
    @x = global i32 0
    define i32 @main() {
      %f = load ptr, ptr @chosen
      %r = call ptr %f(ptr @x)
      ret i32 0
    })");
  EXPECT_EQ(targets("main", "r"), Names{"x+0"});
  for (const Instance& instance : pointers->instances()) EXPECT_NE(instance.function->getName(), "second");
}

constexpr const char* identity_twice = R"(
    @x = global i32 0
    @y = global i32 0
    define ptr @same(ptr %p) { ret ptr %p }
    define i32 @main() {
      %a = call ptr @same(ptr @x)
      %b = call ptr @same(ptr @y)
      ret i32 0
    })";

TEST_F(PointsToTest, ContextsKeepCallsApart) {
  solve(identity_twice, {.k = 1});
  EXPECT_EQ(targets("main", "a"), Names{"x+0"});
}

TEST_F(PointsToTest, WithoutContextsCallsAreMerged) {
  solve(identity_twice, {.k = 0});
  EXPECT_EQ(targets("main", "a"), (Names{"x+0", "y+0"}));
}

TEST_F(PointsToTest, HeapObjectsAreClonedByContext) {
  solve(R"(
    declare ptr @malloc(i64)
    define ptr @make() {
      %made = call ptr @malloc(i64 4)
      ret ptr %made
    }
    define i32 @main() {
      %a = call ptr @make()
      %b = call ptr @make()
      ret i32 0
    })",
        {.k = 1});
  InstanceId main = *pointers->main_instance();
  EXPECT_FALSE(pointers->points_to(value("main", "a"), main)
                   .intersects(pointers->points_to(value("main", "b"), main)));
}

TEST_F(PointsToTest, HandleOfAThreadIsAValue) {
  solve(R"(
    declare i32 @pthread_create(ptr, ptr, ptr, ptr)
    define ptr @run(ptr %p) { ret ptr null }
    define i32 @main() {
      %t = alloca i64
      %copy = alloca i64
      %created = call i32 @pthread_create(ptr %t, ptr null, ptr @run, ptr null)
      %h = load i64, ptr %t
      store i64 %h, ptr %copy
      %again = load i64, ptr %copy
      ret i32 0
    })");
  EXPECT_EQ(targets("main", "again"), Names{"created+0"});
}

TEST_F(PointsToTest, UnknownFunctionIsListedAndRunsWhatItIsGiven) {
  solve(R"(
    declare void @unknown(ptr)
    define ptr @callback(ptr %p) { ret ptr null }
    define i32 @main() {
      call void @unknown(ptr @callback)
      ret i32 0
    })");
  EXPECT_EQ(pointers->unmodelled(), std::set<std::string>{"the function unknown"});
  ASSERT_EQ(pointers->instances().size(), 2u);
  EXPECT_NE(pointers->origin_of(1), main_origin);
}

TEST_F(PointsToTest, CopyOfAnArrayThatIsOneLocationReachesEveryElement) {
  solve(R"(
    @x = global i32 0
    @source = global [4 x ptr] zeroinitializer
    declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
    define i32 @main(i32 %argc) {
      %copy = alloca [4 x ptr]
      call void @llvm.memcpy.p0.p0.i64(ptr %copy, ptr @source, i64 32, i1 false)
      %wide = sext i32 %argc to i64
      %any = getelementptr [4 x ptr], ptr @source, i64 0, i64 %wide
      store ptr @x, ptr %any
      %third = getelementptr [4 x ptr], ptr %copy, i64 0, i64 2
      %a = load ptr, ptr %third
      ret i32 0
    })");
  EXPECT_EQ(targets("main", "a"), Names{"x+0"});
}

TEST_F(PointsToTest, CopyOfOneElementDoesNotReachTheNext) {
  solve(R"(
    @x = global i32 0
    @source = global [4 x { ptr, ptr }] zeroinitializer
    declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
    define i32 @main(i32 %argc) {
      %copy = alloca [2 x { ptr, ptr }]
      %wide = sext i32 %argc to i64
      %any = getelementptr [4 x { ptr, ptr }], ptr @source, i64 0, i64 %wide
      store ptr @x, ptr %any
      call void @llvm.memcpy.p0.p0.i64(ptr %copy, ptr %any, i64 16, i1 false)
      %first = load ptr, ptr %copy
      %other = getelementptr [2 x { ptr, ptr }], ptr %copy, i64 0, i64 1
      %a = load ptr, ptr %other
      ret i32 0
    })");
  EXPECT_EQ(targets("main", "first"), Names{"x+0"});
  EXPECT_EQ(targets("main", "a"), Names{});
}

static const char* const two_of_three = R"(
    declare ptr @malloc(i64)
    define i32 @main(i1 %either) {
      %one = call ptr @malloc(i64 8)
      %two = call ptr @malloc(i64 8)
      %three = call ptr @malloc(i64 8)
      store ptr %three, ptr %one
      %some = select i1 %either, ptr %one, ptr %two
      %a = load ptr, ptr %some
      %b = load ptr, ptr %two
      ret i32 0
    })";

TEST_F(PointsToTest, FewTargetsAreToldApart) {
  solve(two_of_three);
  EXPECT_EQ(targets("main", "some"), (Names{"one+0", "two+0"}));
  EXPECT_EQ(targets("main", "b"), Names{});
}

TEST_F(PointsToTest, TargetsBeyondTheLimitAreOne) {
  solve(two_of_three, {.pool_limit = 1});
  EXPECT_EQ(targets("main", "some"), Names{"?+0"});
  EXPECT_EQ(targets("main", "a"), Names{"three+0"});
  EXPECT_EQ(targets("main", "b"), Names{"three+0"});
}

TEST_F(PointsToTest, CallersBeyondTheBudgetAreMerged) {
  solve(identity_twice, {.k = 1, .instance_budget = 2});
  EXPECT_EQ(targets("main", "a"), Names{"x+0"}); // the first caller has a context of its own
  EXPECT_EQ(pointers->instances().size(), 3u);
  EXPECT_EQ(pointers->contexts()[pointers->instances()[2].context].calls.front(), nullptr);
}

TEST_F(PointsToTest, FunctionOfAnotherTypeIsNotCalled) {
  solve(R"(
    @x = global i32 0
    @table = global [2 x ptr] [ptr @fits, ptr @wants_more]
    define void @fits(ptr %p) { ret void }
    define void @wants_more(ptr %p, ptr %q) { ret void }
    define i32 @main(i32 %i) {
      %wide = sext i32 %i to i64
      %slot = getelementptr [2 x ptr], ptr @table, i64 0, i64 %wide
      %f = load ptr, ptr %slot
      call void %f(ptr @x)
      ret i32 0
    })");
  ASSERT_EQ(pointers->instances().size(), 2u);
  EXPECT_EQ(pointers->instances()[1].function->getName(), "fits");
}

static const char* const three_functions = R"(
    @table = global [2 x ptr] [ptr @one, ptr @two]
    @other = global ptr @three
    define void @one(ptr %p) { ret void }
    define void @two(ptr %p) { ret void }
    define void @three(ptr %p) { ret void }
    define void @never(ptr %p) { ret void }
    define i32 @main(i32 %i) {
      %wide = sext i32 %i to i64
      %slot = getelementptr [2 x ptr], ptr @table, i64 0, i64 %wide
      %f = load ptr, ptr %slot
      %x = alloca i32
      call void %f(ptr %x)
      ret i32 0
    })";

TEST_F(PointsToTest, PointerToFewFunctionsCallsThose) {
  solve(three_functions);
  EXPECT_EQ(targets("main", "f"), (Names{"one+0", "two+0"}));
  EXPECT_EQ(pointers->instances().size(), 3u);
}

TEST_F(PointsToTest, PointerToManyFunctionsCallsAnyWhoseAddressIsTaken) {
  solve(three_functions, {.pool_limit = 1});
  EXPECT_EQ(targets("main", "f"), Names{"?+0"});
  EXPECT_EQ(pointers->instances().size(), 4u); // not never
  for (InstanceId id = 1; id < pointers->instances().size(); id++)
    EXPECT_FALSE(pointers->points_to(pointers->instances()[id].function->getArg(0), id).empty());
}

// Two threads of each of two kinds, one created by the other.
constexpr const char* nested_threads = R"(
    declare i32 @pthread_create(ptr, ptr, ptr, ptr)
    define ptr @inner(ptr %x) { ret ptr null }
    define void @start(ptr %x) {
      %t = alloca i64
      %r = call i32 @pthread_create(ptr %t, ptr null, ptr @inner, ptr %x)
      ret void
    }
    define ptr @outer(ptr %x) {
      call void @start(ptr %x)
      ret ptr null
    }
    define i32 @main() {
      %t = alloca i64
      %r = call i32 @pthread_create(ptr %t, ptr null, ptr @outer, ptr null)
      call void @start(ptr null)
      ret i32 0
    })";

TEST_F(PointsToTest, ThreadsOfDifferentCreatorsAreApart) {
  solve(nested_threads);
  EXPECT_EQ(pointers->contexts().origin_count(), 4u);
}

TEST_F(PointsToTest, CreatorsBeyondTheLimitAreMerged) {
  PointsToOptions options;
  options.origin_limit = 1;
  solve(nested_threads, options);
  EXPECT_EQ(pointers->contexts().origin_count(), 3u);
}

TEST_F(PointsToTest, HandlerIsOneKindOfThreadWhereverItIsRegistered) {
  solve(R"(
    declare ptr @signal(i32, ptr)
    define void @handle(i32 %number) { ret void }
    define i32 @main() {
      %a = call ptr @signal(i32 1, ptr @handle)
      %b = call ptr @signal(i32 2, ptr @handle)
      ret i32 0
    })");
  EXPECT_EQ(pointers->contexts().origin_count(), 2u);
}

TEST_F(PointsToTest, ConstantsWithoutAddressesAreOneObject) {
  solve(R"(
    @text = private constant [3 x i8] c"ab\00"
    @more = private constant [3 x i8] c"cd\00"
    define i32 @main(i1 %either) {
      %some = select i1 %either, ptr @text, ptr @more
      %a = getelementptr i8, ptr %some, i64 1
      ret i32 0
    })");
  EXPECT_EQ(targets("main", "a"), Names{"?+0"});
}

} // namespace
} // namespace footrace::prove
