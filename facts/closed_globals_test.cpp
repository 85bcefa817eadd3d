#include "facts/closed_globals.h"

#include "facts/parsed_ir_test.h"

using namespace llvm;

namespace footrace {
namespace {

// Whether @x is closed in a module with this text, in which only @unknown's accesses are not known.
bool is_closed(const std::string& text, Places places = Places::Known) {
  ParsedIr ir(text);
  const auto has_checks = [](const Instruction& inst) { return inst.getFunction()->getName() != "unknown"; };
  return ClosedGlobals(ir.module(), has_checks, places).contains(*ir.module().getNamedGlobal("x"));
}

const std::string pair_of_ints = "@x = internal global { i32, i32 } zeroinitializer\n";

std::string function(const std::string& body) {
  return "define void @f(i64 %i) {\n" + body + "\n  ret void\n}\n";
}

const std::string accesses = function(R"(
  %a = load i32, ptr @x
  store i32 %a, ptr getelementptr (i8, ptr @x, i64 4)
  %p = getelementptr i8, ptr @x, i64 4
  store i32 1, ptr %p)");

TEST(ClosedGlobals, LoadsAndStoresAtKnownPlaces_AreClosed) {
  EXPECT_TRUE(is_closed(pair_of_ints + accesses));
}

TEST(ClosedGlobals, NamesThatOthersKnow_AreOpen) {
  EXPECT_FALSE(is_closed("@x = global { i32, i32 } zeroinitializer\n" + accesses));
  EXPECT_FALSE(is_closed("@x = hidden global { i32, i32 } zeroinitializer\n" + accesses));
  EXPECT_FALSE(is_closed("@x = internal global { i32, i32 } zeroinitializer, section \"mine\"\n" + accesses));
  EXPECT_FALSE(is_closed("module asm \".globl y\"\n" + pair_of_ints + accesses));
  EXPECT_FALSE(is_closed(pair_of_ints + accesses + "@y = alias i32, ptr @x\n"));
}

TEST(ClosedGlobals, UsedByWhatTheCompilerDoesNotSee_IsOpen) {
  EXPECT_FALSE(is_closed(pair_of_ints + accesses + "@llvm.used = appending global [1 x ptr] [ptr @x]\n"));
  EXPECT_FALSE(
      is_closed(pair_of_ints + accesses + "@llvm.compiler.used = appending global [1 x ptr] [ptr @x]\n"));
  EXPECT_FALSE(
      is_closed(pair_of_ints + function("  call void asm \"incl $0\", \"*m\"(ptr elementtype(i32) @x)")));
}

TEST(ClosedGlobals, AddressThatGoesAnywhere_IsOpen) {
  EXPECT_FALSE(is_closed(pair_of_ints + "declare void @g(ptr)\n" + function("  call void @g(ptr @x)")));
  EXPECT_FALSE(is_closed(pair_of_ints + "@p = global ptr null\n" + function("  store ptr @x, ptr @p")));
  EXPECT_FALSE(is_closed(pair_of_ints + "@p = global ptr @x\n" + accesses));
  EXPECT_FALSE(is_closed(pair_of_ints + "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\n" +
                         function("  call void @llvm.memset.p0.i64(ptr @x, i8 0, i64 8, i1 false)")));
  EXPECT_FALSE(is_closed(pair_of_ints + function(R"(
  %c = icmp eq i64 %i, 0
  %p = select i1 %c, ptr @x, ptr getelementptr (i8, ptr @x, i64 4)
  store i32 1, ptr %p)")));
}

TEST(ClosedGlobals, PlacesThatAreNotKnown_AreOpenUnlessAnyWillDo) {
  const std::string text =
      pair_of_ints + function("  %p = getelementptr i32, ptr @x, i64 %i\n  store i32 1, ptr %p");
  EXPECT_FALSE(is_closed(text));
  EXPECT_TRUE(is_closed(text, Places::Any));
  EXPECT_FALSE(is_closed(pair_of_ints + function("  store i64 1, ptr getelementptr (i8, ptr @x, i64 4)")))
      << "beyond its end";
}

TEST(ClosedGlobals, AtomicAndVolatileAccesses_AreOpen) {
  EXPECT_FALSE(is_closed(pair_of_ints + function("  store volatile i32 1, ptr @x")));
  EXPECT_FALSE(is_closed(pair_of_ints + function("  store atomic i32 1, ptr @x monotonic, align 4")));
  EXPECT_FALSE(is_closed(pair_of_ints + function("  %v = atomicrmw add ptr @x, i32 1 monotonic")));
}

TEST(ClosedGlobals, ThreadLocalAndConstantVariables_AreNotAsked) {
  EXPECT_FALSE(is_closed("@x = internal thread_local global { i32, i32 } zeroinitializer\n" + accesses));
  EXPECT_FALSE(is_closed("@x = internal constant i32 0\n" + function("  %v = load i32, ptr @x")));
}

TEST(ClosedGlobals, AccessesInFunctionsThatAreNotKnown_AreOpen) {
  EXPECT_FALSE(is_closed(pair_of_ints + accesses +
                         "define void @unknown() {\n  store i32 1, ptr @x\n  ret void\n}\n"));
}

} // namespace
} // namespace footrace
