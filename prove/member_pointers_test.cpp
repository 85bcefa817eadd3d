// What calls through pointers to member functions may be simplified to, on modules of which a part is optimised.
#include "prove/member_pointers.h"
#include "prove/program.h"

#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

#include <gtest/gtest.h>

namespace footrace::prove {
namespace {

// An unoptimised function that calls through the pointer it gets, and a caller that passes these two numbers.
std::string program_that_passes(const std::string& function, const std::string& adjustment) {
  return R"(
    define void @run(ptr %this) {
      ret void
    }
    define void @call(ptr %object, i64 %function, i64 %adjustment) {
      %pointer = alloca { i64, i64 }
      %first = getelementptr { i64, i64 }, ptr %pointer, i32 0, i32 0
      store i64 %function, ptr %first
      %second = getelementptr { i64, i64 }, ptr %pointer, i32 0, i32 1
      store i64 %adjustment, ptr %second
      %both = load { i64, i64 }, ptr %pointer
      %added = extractvalue { i64, i64 } %both, 1
      %this = getelementptr i8, ptr %object, i64 %added
      %what = extractvalue { i64, i64 } %both, 0
      %virtual = and i64 %what, 1
      %is_virtual = icmp ne i64 %virtual, 0
      %target = inttoptr i64 %what to ptr
      call void %target(ptr %this)
      ret void
    }
    define i32 @main() {
      %object = alloca [4 x i64]
      call void @call(ptr %object, i64 )" +
         function + ", i64 " + adjustment + R"()
      ret i32 0
    })";
}

struct Left {
  bool adjustment = false, question = false; // in @call
};
Left simplified(const std::string& assembly) {
  llvm::Expected<Program> program = parse_program(assembly);
  EXPECT_TRUE(static_cast<bool>(program)) << llvm::toString(program.takeError());
  simplify_member_calls(*program->module);
  Left left;
  for (const llvm::Instruction& inst : llvm::instructions(*program->module->getFunction("call"))) {
    left.adjustment |= inst.getName() == "this";
    left.question |= inst.getName() == "virtual";
  }
  return left;
}

TEST(MemberPointers, NothingIsAddedAndNothingVirtual_CallsSaySo) {
  const Left left = simplified(program_that_passes("ptrtoint (ptr @run to i64)", "0"));
  EXPECT_FALSE(left.adjustment);
  EXPECT_FALSE(left.question);
}
TEST(MemberPointers, NumbersThatAreAddedArePassedAlone_CallsAdd) {
  EXPECT_TRUE(simplified(program_that_passes("ptrtoint (ptr @run to i64)", "16")).adjustment);
}
TEST(MemberPointers, PlacesInAVtableArePassedAlone_CallsAsk) {
  EXPECT_TRUE(simplified(program_that_passes("1", "0")).question);
}

} // namespace
} // namespace footrace::prove
