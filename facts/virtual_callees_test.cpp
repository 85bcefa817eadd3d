#include "facts/virtual_callees.h"

#include "facts/parsed_ir_test.h"

using namespace llvm;

namespace footrace {
namespace {

// struct Base { virtual void f(); }; struct Derived : Base { void f(); }; with the visibilities given.
std::string classes(const std::string& base, const std::string& derived) {
  return R"(
@base = constant [3 x ptr] [ptr null, ptr null, ptr @base_f], !type !0, !vcall_visibility !)" +
         base + R"(
@derived = constant [3 x ptr] [ptr null, ptr null, ptr @derived_f], !type !0, !type !1, !vcall_visibility !)" +
         derived + R"(
@m = global i64 0
declare i32 @pthread_mutex_unlock(ptr)
declare i1 @llvm.type.test(ptr, metadata)
declare void @llvm.assume(i1)
define void @base_f(ptr %this) {
  ret void
}
define void @derived_f(ptr %this) {
  %r = call i32 @pthread_mutex_unlock(ptr @m)
  ret void
}
define void @dispatch(ptr %object) {
  %vtable = load ptr, ptr %object
  %ok = call i1 @llvm.type.test(ptr %vtable, metadata !"Base")
  call void @llvm.assume(i1 %ok)
  %f = load ptr, ptr %vtable
  call void %f(ptr %object)
  ret void
}
!0 = !{i64 16, !"Base"}
!1 = !{i64 16, !"Derived"}
!2 = !{i64 0}
!3 = !{i64 1}
!4 = !{i64 2}
)";
}
const std::string everywhere = "2", in_linkage_unit = "3", in_file = "4";

unsigned annotate(ParsedIr& ir, VtableUsers users) {
  return annotate_virtual_callees(ir.module(), users, [&](Function& function) -> DominatorTree& {
    return ir.analyses(function).dominators;
  });
}

TEST(VirtualCallees, HierarchyOfOneFile_IsClosed) {
  ParsedIr ir(classes(in_file, in_file));
  EXPECT_EQ(annotate(ir, VtableUsers::File), 1u);
  EXPECT_EQ(ir.effects("dispatch"), Effects(Effect::Release));
}

TEST(VirtualCallees, HierarchyOfTheLinkageUnit_IsClosedOnceLinked) {
  ParsedIr ir(classes(in_linkage_unit, in_file));
  EXPECT_EQ(annotate(ir, VtableUsers::File), 0u);
  EXPECT_TRUE(ir.effects("dispatch").may_acquire());
  EXPECT_EQ(annotate(ir, VtableUsers::LinkageUnit), 1u);
  EXPECT_EQ(ir.effects("dispatch"), Effects(Effect::Release));
}

TEST(VirtualCallees, OnePublicClass_OpensTheHierarchy) {
  ParsedIr ir(classes(in_file, everywhere));
  EXPECT_EQ(annotate(ir, VtableUsers::LinkageUnit), 0u);
}

} // namespace
} // namespace footrace
