#include "facts/sync.h"

#include "facts/parsed_ir_test.h"

using namespace llvm;

namespace footrace {
namespace {

constexpr Effects acquire = Effect::Acquire, release = Effect::Release,
                  both = Effect::Acquire | Effect::Release;

// The effects of the first instruction of the function @f with this body.
Effects of(const std::string& body, const std::string& declarations = "") {
  ParsedIr ir(declarations + "define i32 @f(ptr %p, i32 %n) {\n" + body + "\n  ret i32 0\n}\n");
  return own_effects(ir.function("f").getEntryBlock().front());
}

TEST(Sync, PlainAndRelaxedAccesses_AreNeither) {
  EXPECT_TRUE(of("%v = load i32, ptr %p").has_none());
  EXPECT_TRUE(of("store volatile i32 1, ptr %p").has_none());
  EXPECT_TRUE(of("%v = load atomic i32, ptr %p monotonic, align 4").has_none());
  EXPECT_TRUE(of("%v = load atomic i32, ptr %p unordered, align 4").has_none());
  EXPECT_TRUE(of("store atomic i32 1, ptr %p monotonic, align 4").has_none());
  EXPECT_TRUE(of("%v = atomicrmw add ptr %p, i32 1 monotonic").has_none());
}

TEST(Sync, AtomicLoads_Acquire) {
  EXPECT_EQ(of("%v = load atomic i32, ptr %p acquire, align 4"), acquire);
  EXPECT_EQ(of("%v = load atomic i32, ptr %p seq_cst, align 4"), acquire);
}

TEST(Sync, AtomicStores_Release) {
  EXPECT_EQ(of("store atomic i32 1, ptr %p release, align 4"), release);
  EXPECT_EQ(of("store atomic i32 1, ptr %p seq_cst, align 4"), release);
}

TEST(Sync, ReadModifyWrites_FollowTheirOrder) {
  EXPECT_EQ(of("%v = atomicrmw add ptr %p, i32 1 acquire"), acquire);
  EXPECT_EQ(of("%v = atomicrmw add ptr %p, i32 1 release"), release);
  EXPECT_EQ(of("%v = atomicrmw xchg ptr %p, i32 1 acq_rel"), both);
  EXPECT_EQ(of("%v = cmpxchg ptr %p, i32 0, i32 1 release acquire"), both);
  EXPECT_EQ(of("%v = cmpxchg ptr %p, i32 0, i32 1 monotonic acquire"), acquire);
}

TEST(Sync, Fences_FollowTheirOrder) {
  EXPECT_EQ(of("fence acquire"), acquire);
  EXPECT_EQ(of("fence release"), release);
  EXPECT_EQ(of("fence seq_cst"), both);
}

TEST(Sync, SignalFences_AreNeither) {
  EXPECT_TRUE(of("fence syncscope(\"singlethread\") seq_cst").has_none());
  EXPECT_TRUE(of("%v = load atomic i32, ptr %p syncscope(\"singlethread\") acquire, align 4").has_none());
}

TEST(Sync, LibraryAtomics_FollowTheirOrderArgument) {
  const std::string load = "declare i128 @__atomic_load_16(ptr, i32)\n";
  EXPECT_EQ(of("%v = call i128 @__atomic_load_16(ptr %p, i32 2)", load), acquire);
  EXPECT_EQ(of("%v = call i128 @__atomic_load_16(ptr %p, i32 1)", load), acquire); // consume
  EXPECT_TRUE(of("%v = call i128 @__atomic_load_16(ptr %p, i32 0)", load).has_none());
  EXPECT_EQ(of("%v = call i128 @__atomic_load_16(ptr %p, i32 %n)", load), both); // any
  EXPECT_EQ(of("call void @__atomic_store_16(ptr %p, i128 1, i32 5)",
               "declare void @__atomic_store_16(ptr, i128, i32)\n"),
            release);
}

TEST(Sync, Assembly_IsUnknown) {
  EXPECT_EQ(of("call void asm sideeffect \"lock; incl ($0)\", \"r,~{memory}\"(ptr %p)"), Effects::unknown());
  EXPECT_EQ(of("call void asm sideeffect \"mfence\", \"~{memory}\"()"), Effects::unknown());
}

TEST(Sync, AssemblyThatOnlyComputesOrHints_IsNothing) {
  EXPECT_TRUE(of("%v = call i32 asm \"bswap $0\", \"=r,0\"(i32 %n) memory(none)").has_none());
  EXPECT_TRUE(of("call void asm sideeffect \"\", \"~{memory}\"()").has_none());
  EXPECT_TRUE(of("call void asm sideeffect \"pause\", \"~{memory}\"()").has_none());
}

TEST(Sync, MemoryIntrinsics_AreNothing) {
  EXPECT_TRUE(of("call void @llvm.memset.p0.i64(ptr %p, i8 0, i64 8, i1 false)",
                 "declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\n")
                  .has_none());
  EXPECT_TRUE(of("call void @llvm.x86.sse2.pause()", "declare void @llvm.x86.sse2.pause()\n").has_none());
  EXPECT_TRUE(
      of("%v = call float @llvm.sqrt.f32(float 1.0)", "declare float @llvm.sqrt.f32(float)\n").has_none());
  EXPECT_TRUE(of("call void @llvm.assume(i1 true)", "declare void @llvm.assume(i1)\n").has_none());
}

// The runtime sees one location per byte of a stack, so a check may come after the variable's end.
TEST(Sync, LifetimeEnds_LeaveTheStackWhereItIs) {
  EXPECT_TRUE(
      of("call void @llvm.stackrestore.p0(ptr %p)", "declare void @llvm.stackrestore.p0(ptr)\n").has_none());
  ParsedIr ir("define void @f() {\n %x = alloca i32\n call void @llvm.lifetime.end.p0(ptr %x)\n ret void\n}\n"
              "declare void @llvm.lifetime.end.p0(ptr)\n");
  EXPECT_TRUE(own_effects(*ir.function("f").getEntryBlock().front().getNextNode()).has_none());
}

TEST(Sync, Traps_DoNotReturn) {
  EXPECT_EQ(of("call void @llvm.trap()", "declare void @llvm.trap()\n"), Effects(Effect::NoReturn));
}

TEST(Sync, OurOwnChecks_AreNothing) {
  EXPECT_TRUE(
      of("call void @__footrace_write4(ptr %p, ptr null)", "declare void @__footrace_write4(ptr, ptr)\n")
          .has_none());
}

TEST(Sync, FreedObject_IsTheArgumentOfFree) {
  ParsedIr ir("declare void @free(ptr)\ndeclare void @g(ptr)\n"
              "define void @f(ptr %p) {\n call void @free(ptr %p)\n ret void\n}\n"
              "define void @h(ptr %p) {\n call void @g(ptr %p)\n ret void\n}\n");
  EXPECT_EQ(freed_object(ir.call("f")), ir.function("f").getArg(0));
  EXPECT_EQ(freed_object(ir.call("h")), nullptr);
}

TEST(KillSetHistory, Acquire_KillsAccesses) {
  EXPECT_TRUE(kill_set_history(Effect::Acquire).accesses);
  EXPECT_FALSE(kill_set_history(Effect::Acquire).checks);
}

TEST(KillSetHistory, Release_KillsAccessesAndChecks) {
  EXPECT_TRUE(kill_set_history(Effect::Release).accesses);
  EXPECT_TRUE(kill_set_history(Effect::Release).checks);
}

TEST(KillSetHistory, NoSynchronisation_KillsNothing) {
  EXPECT_FALSE(kill_set_history(Effects::none()).accesses);
  EXPECT_FALSE(kill_set_history(Effect::Throws | Effect::Frees).checks);
}

TEST(KillSetAnticipated, OnlyAcquire_Kills) {
  EXPECT_TRUE(kill_set_anticipated(Effect::Acquire).accesses);
  EXPECT_FALSE(kill_set_anticipated(Effect::Release).accesses);
  EXPECT_FALSE(kill_set_anticipated(Effects::none()).accesses);
}

} // namespace
} // namespace footrace
