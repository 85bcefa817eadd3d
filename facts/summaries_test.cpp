#include "facts/summaries.h"

#include "facts/callees.h"
#include "facts/imported.h"
#include "facts/parsed_ir_test.h"
#include "facts/sync.h"

using namespace llvm;

namespace footrace {
namespace {

const std::string library = R"(
declare i32 @pthread_mutex_lock(ptr)
declare i32 @pthread_mutex_unlock(ptr)
declare void @free(ptr)
declare void @exit(i32)
declare void @unknown(ptr)
declare void @qsort(ptr, i64, i64, ptr)
declare double @sin(double)
@m = global i64 0
)";

TEST(Summaries, UnknownFunctions_MayDoAnything) {
  ParsedIr ir(library);
  EXPECT_EQ(ir.effects("unknown"), Effects::unknown());
}

TEST(Summaries, LeafFunctions_AreTransparent) {
  ParsedIr ir(library + "define double @f(ptr %p, double %x) {\n store i32 1, ptr %p\n %r = call double "
                        "@sin(double %x)\n ret double %r\n}");
  EXPECT_TRUE(has_no_kill(ir.effects("f")));
}

TEST(KillSetHistory, CallThatUnlocks_KillsAccessesAndChecks) {
  ParsedIr ir(library + R"(
define void @unlocks() {
  %r = call i32 @pthread_mutex_unlock(ptr @m)
  ret void
}
define void @calls_it() {
  call void @unlocks()
  ret void
})");
  const KillSetHistory kills = kill_set_history(ir.effects("calls_it"));
  EXPECT_TRUE(kills.accesses);
  EXPECT_TRUE(kills.checks);
  EXPECT_FALSE(kill_set_anticipated(ir.effects("calls_it")).accesses);
}

TEST(KillSetHistory, CallThatLocks_KeepsChecks) {
  ParsedIr ir(library + R"(
define void @locks() {
  %r = call i32 @pthread_mutex_lock(ptr @m)
  ret void
})");
  EXPECT_TRUE(kill_set_history(ir.effects("locks")).accesses);
  EXPECT_FALSE(kill_set_history(ir.effects("locks")).checks);
}

TEST(KillSetAnticipated, CallThatLocks_Kills) {
  ParsedIr ir(library + R"(
define void @locks(i1 %c) {
  br i1 %c, label %yes, label %no
yes:
  %r = call i32 @pthread_mutex_lock(ptr @m)
  br label %no
no:
  ret void
})");
  EXPECT_TRUE(kill_set_anticipated(ir.effects("locks")).accesses);
}

TEST(Summaries, Recursion_MayNotReturn) {
  ParsedIr ir(library + R"(
define i32 @even(i32 %n) {
  %r = call i32 @odd(i32 %n)
  ret i32 %r
}
define i32 @odd(i32 %n) {
  %r = call i32 @even(i32 %n)
  %l = call i32 @pthread_mutex_lock(ptr @m)
  ret i32 %r
})");
  EXPECT_EQ(ir.effects("even"), Effect::NoReturn | Effect::Acquire);
  EXPECT_EQ(ir.effects("odd"), Effect::NoReturn | Effect::Acquire);
}

TEST(Summaries, SpinOnAPlainFlag_MayNotReturn_ThoughItMustProgress) {
  ParsedIr ir(R"(
define void @spin(ptr %flag) mustprogress willreturn {
entry:
  br label %loop
loop:
  %v = load i32, ptr %flag
  %c = icmp eq i32 %v, 0
  br i1 %c, label %loop, label %done, !llvm.loop !0
done:
  ret void
}
!0 = distinct !{!0, !1}
!1 = !{!"llvm.loop.mustprogress"})");
  EXPECT_TRUE(ir.effects("spin").may_not_return());
}

TEST(Summaries, CountedLoop_Returns) {
  ParsedIr ir(R"(
define void @count(ptr %p, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %a = getelementptr i32, ptr %p, i64 %i
  store i32 0, ptr %a
  %next = add nuw nsw i64 %i, 1
  %c = icmp ult i64 %next, %n
  br i1 %c, label %loop, label %done
done:
  ret void
})");
  EXPECT_TRUE(ir.effects("count").has_none());
}

TEST(Summaries, IrreducibleCycle_MayNotReturn) {
  ParsedIr ir(R"(
define void @twisted(i1 %c, i1 %d) {
entry:
  br i1 %c, label %a, label %b
a:
  br i1 %d, label %b, label %done
b:
  br label %a
done:
  ret void
})");
  EXPECT_TRUE(ir.effects("twisted").may_not_return());
}

TEST(Summaries, Exit_DoesNotReturn) {
  ParsedIr ir(library + "define void @f(i1 %c) {\n br i1 %c, label %x, label %y\nx:\n call void @exit(i32 "
                        "1)\n unreachable\ny:\n ret void\n}");
  EXPECT_TRUE(ir.effects("f").may_not_return());
}

TEST(Summaries, Free_IsSeenThroughCalls) {
  ParsedIr ir(library + "define void @f(ptr %p) {\n call void @free(ptr %p)\n ret void\n}\ndefine void "
                        "@g(ptr %p) {\n call void @f(ptr %p)\n ret void\n}");
  EXPECT_EQ(ir.effects("g"), Effects(Effect::Frees));
}

// The memory at the address is another one afterwards, with a history of its own.
TEST(KillSetHistory, Mapping_KillsChecks) {
  ParsedIr ir("declare ptr @mmap(ptr, i64, i32, i32, i32, i64)\ndefine void @f(ptr %p) {\n %q = call ptr "
              "@mmap(ptr %p, i64 4096, "
              "i32 3, i32 50, i32 -1, i64 0)\n ret void\n}");
  EXPECT_TRUE(kill_set_history(ir.effects("f")).checks);
  EXPECT_TRUE(kill_set_anticipated(ir.effects("f")).accesses);
}

TEST(Summaries, OwnStackVariables_AreNothingToTheCaller) {
  ParsedIr ir(R"(
declare void @llvm.lifetime.end.p0(ptr)
define void @f() {
  %x = alloca i32
  store i32 1, ptr %x
  call void @llvm.lifetime.end.p0(ptr %x)
  ret void
})");
  EXPECT_TRUE(ir.effects("f").has_none());
}

const std::string throws = R"(
declare i32 @__gxx_personality_v0(...)
declare void @__cxa_throw(ptr, ptr, ptr)
define void @throws(i1 %c) {
  br i1 %c, label %x, label %y
x:
  call void @__cxa_throw(ptr null, ptr null, ptr null)
  unreachable
y:
  ret void
}
)";

TEST(Summaries, Exceptions_PassThroughCalls) {
  ParsedIr ir(throws + "define void @f(i1 %c) {\n call void @throws(i1 %c)\n ret void\n}");
  EXPECT_TRUE(ir.effects("f").may_throw());
}

TEST(Summaries, CaughtExceptions_StayInside) {
  ParsedIr ir(throws + R"(
define void @f(i1 %c) personality ptr @__gxx_personality_v0 {
  invoke void @throws(i1 %c) to label %ok unwind label %pad
ok:
  ret void
pad:
  %e = landingpad { ptr, i32 } catch ptr null
  ret void
})");
  EXPECT_FALSE(ir.effects("f").may_throw());
  EXPECT_TRUE(ir.summaries().effects(ir.call("f")).may_throw()); // the invoke itself may
}

TEST(Summaries, Cleanups_PassTheExceptionOn) {
  ParsedIr ir(throws + R"(
define void @f(i1 %c) personality ptr @__gxx_personality_v0 {
  invoke void @throws(i1 %c) to label %ok unwind label %pad
ok:
  ret void
pad:
  %e = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %e
})");
  EXPECT_TRUE(ir.effects("f").may_throw());
}

TEST(Summaries, SetJmp_ReturnsTwiceInItsCallerOnly) {
  ParsedIr ir(R"(
declare i32 @_setjmp(ptr) returns_twice
define i32 @f(ptr %b) {
  %r = call i32 @_setjmp(ptr %b) returns_twice
  ret i32 %r
})");
  const Effects setjmp = ir.summaries().effects(ir.call("f"));
  EXPECT_TRUE(setjmp.may_return_twice());
  EXPECT_TRUE(kill_set_history(setjmp).checks); // what ran before the second return may have released
  EXPECT_FALSE(ir.effects("f").may_return_twice());
}

TEST(Summaries, InterposableDefinitions_AreUnknown) {
  ParsedIr ir("define weak void @weak() {\n ret void\n}\ndefine linkonce_odr void @odr() {\n ret "
              "void\n}\ndefine available_externally void @imported() {\n ret void\n}");
  EXPECT_EQ(ir.effects("weak"), Effects::unknown());
  EXPECT_TRUE(ir.effects("odr").has_none());
  EXPECT_TRUE(ir.effects("imported").has_none());
}

TEST(Summaries, ImportedBodies_AreRemembered) {
  ParsedIr ir(
      library +
      "define available_externally void @imported() {\n %r = call i32 @pthread_mutex_unlock(ptr @m)\n ret "
      "void\n}\ndefine void @own() {\n call void @imported()\n ret void\n}");
  EXPECT_TRUE(note_imported_effects(ir.module(), ir.summaries()));
  ir.function("imported").deleteBody();
  EXPECT_EQ(ir.effects("own"), Effects(Effect::Release));
  EXPECT_FALSE(noted_effects(ir.function("own")));
}

TEST(Summaries, DefinitionInTheModule_CountsMoreThanTheModel) {
  ParsedIr ir(library +
              "define ptr @malloc(i64 %n) {\n %r = call i32 @pthread_mutex_lock(ptr @m)\n ret ptr null\n}");
  EXPECT_TRUE(ir.effects("malloc").may_acquire());
}

TEST(Summaries, Callbacks_CountAsCalls) {
  ParsedIr ir(library + R"(
define i32 @plain(ptr %a, ptr %b) {
  ret i32 0
}
define i32 @locking(ptr %a, ptr %b) {
  %r = call i32 @pthread_mutex_unlock(ptr @m)
  ret i32 0
}
define void @sorts(ptr %p) {
  call void @qsort(ptr %p, i64 8, i64 4, ptr @plain)
  ret void
}
define void @sorts_with_locks(ptr %p) {
  call void @qsort(ptr %p, i64 8, i64 4, ptr @locking)
  ret void
}
define void @sorts_somehow(ptr %p, ptr %how) {
  call void @qsort(ptr %p, i64 8, i64 4, ptr %how)
  ret void
})");
  EXPECT_TRUE(ir.effects("sorts").has_none());
  EXPECT_EQ(ir.effects("sorts_with_locks"), Effects(Effect::Release));
  EXPECT_EQ(ir.effects("sorts_somehow").without(Effect::ReturnsTwice),
            Effects::unknown().without(Effect::ReturnsTwice));
}

const std::string pointers = library + R"(
@table = internal constant [2 x ptr] [ptr @a, ptr @b]
@hook = internal global ptr @a
@open_hook = global ptr @a
define internal void @a() {
  ret void
}
define internal void @b() {
  %r = call i32 @pthread_mutex_unlock(ptr @m)
  ret void
}
define void @by_table(i64 %i) {
  %s = getelementptr ptr, ptr @table, i64 %i
  %f = load ptr, ptr %s
  call void %f()
  ret void
}
define void @by_hook() {
  %f = load ptr, ptr @hook
  call void %f()
  ret void
}
define void @by_open_hook() {
  %f = load ptr, ptr @open_hook
  call void %f()
  ret void
}
define void @by_choice(i1 %c) {
  %f = select i1 %c, ptr @a, ptr @b
  call void %f()
  ret void
}
define void @by_pointer(ptr %f) {
  call void %f()
  ret void
}
define internal void @by_parameter(ptr %f) {
  call void %f()
  ret void
}
define void @passes_parameter() {
  call void @by_parameter(ptr @a)
  ret void
}
)";

TEST(Callees, TablesHooksAndChoices_AreClosed) {
  ParsedIr ir(pointers);
  EXPECT_EQ(ir.effects("by_table"), Effects(Effect::Release));
  EXPECT_EQ(ir.effects("by_choice"), Effects(Effect::Release));
  EXPECT_TRUE(ir.effects("by_hook").has_none());
  EXPECT_TRUE(ir.effects("passes_parameter").has_none());
}

TEST(Callees, StoreToAHook_AddsTheStoredFunction) {
  ParsedIr ir(pointers + "define void @set() {\n store ptr @b, ptr @hook\n ret void\n}");
  EXPECT_EQ(ir.effects("by_hook"), Effects(Effect::Release));
}

TEST(Callees, HookWhoseAddressEscapes_IsOpen) {
  ParsedIr ir(pointers + "define void @gives_away() {\n call void @unknown(ptr @hook)\n ret void\n}");
  EXPECT_TRUE(ir.effects("by_hook").may_acquire());
}

TEST(Callees, PointersFromElsewhere_AreOpen) {
  ParsedIr ir(pointers);
  EXPECT_TRUE(ir.effects("by_pointer").may_acquire());
  EXPECT_TRUE(ir.effects("by_open_hook").may_acquire());
}

TEST(Callees, WholeProgram_ClosesPointersByType) {
  ParsedIr ir(pointers);
  EXPECT_EQ(ir.effects("by_pointer", World::WholeProgram), Effects(Effect::Release));
}

TEST(Callees, WholeProgramThatLoadsFunctions_StaysOpen) {
  ParsedIr ir(pointers + "declare ptr @dlsym(ptr, ptr)");
  EXPECT_TRUE(ir.effects("by_pointer", World::WholeProgram).may_acquire());
}

TEST(Callees, VirtualCallOfAWholeProgram_StaysOpen) {
  ParsedIr ir(library + R"(
@vtable = constant [3 x ptr] [ptr null, ptr null, ptr @method]
define void @method(ptr %this) {
  ret void
}
define void @dispatch(ptr %object) {
  %v = load ptr, ptr %object, !tbaa !0
  %f = load ptr, ptr %v
  call void %f(ptr %object)
  ret void
}
!0 = !{!1, !1, i64 0}
!1 = !{!"vtable pointer", !2, i64 0}
!2 = !{!"Simple C++ TBAA"})");
  EXPECT_TRUE(ir.effects("dispatch", World::WholeProgram).may_acquire());
}

TEST(Callees, CalleesMetadata_IsBelieved) {
  ParsedIr ir(pointers +
              "define void @listed(ptr %f) {\n call void %f(), !callees !0\n ret void\n}\n!0 = !{ptr @a}");
  EXPECT_TRUE(ir.effects("listed").has_none());
}

} // namespace
} // namespace footrace
