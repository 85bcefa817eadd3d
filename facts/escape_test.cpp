#include "facts/escape.h"

#include "facts/parsed_ir_test.h"

using namespace llvm;

namespace footrace {
namespace {

const std::string library = R"(
@global = global ptr null
declare noalias ptr @malloc(i64)
declare noalias ptr @_Znwm(i64)
declare void @free(ptr)
declare void @keeps(ptr)
declare i32 @clock_gettime(i32, ptr)
declare i64 @strtol(ptr, ptr, i32)
declare i32 @pthread_setspecific(i32, ptr)
declare ptr @strtok(ptr, ptr)
declare void @__footrace_read4(ptr, ptr)
)";

// Why the first write of @f needs no check, or "checked".
std::string reason(const std::string& body, RaceFreedomOptions options = {}) {
  ParsedIr ir(library + "define void @f() {\n" + body + "\n  ret void\n}\n");
  RaceFreedom race_freedom(options);
  for (const Access& access : collect_accesses(ir.function("f")))
    if (access.kind == AccessKind::Write) {
      const std::optional<Reason> found = race_freedom.reason(access);
      return found ? name_of(*found) : "checked";
    }
  return "no write";
}

const std::string allocate = "  %p = call noalias ptr @malloc(i64 8)\n  store i32 1, ptr %p\n";

TEST(Escape, FreshMemoryThatNobodyElseGets_IsPrivate) {
  EXPECT_EQ(reason(allocate), "non-escaping-heap");
  EXPECT_EQ(reason("  %p = call noalias ptr @_Znwm(i64 8)\n  store i32 1, ptr %p\n"), "non-escaping-heap");
}

TEST(Escape, FreshMemory_IsCheckedWhenSwitchedOff) {
  EXPECT_EQ(reason(allocate, {.nonescaping_heap = false}), "checked");
}

TEST(Escape, FreeingIt_KeepsItPrivate) {
  EXPECT_EQ(reason(allocate + "  call void @free(ptr %p)\n"), "non-escaping-heap");
}

TEST(Escape, FreshMemoryThatIsPublishedLater_IsChecked) {
  EXPECT_EQ(reason(allocate + "  store ptr %p, ptr @global\n"), "checked");
  EXPECT_EQ(reason(allocate + "  call void @keeps(ptr %p)\n"), "checked");
}

TEST(Escape, MemoryOfAnUnknownFunction_IsChecked) {
  EXPECT_EQ(reason("  %p = load ptr, ptr @global\n  store i32 1, ptr %p\n"), "checked");
}

const std::string local = "  %x = alloca i64\n  store i64 1, ptr %x\n";

TEST(Escape, LibraryFunctionThatOnlyWrites_KeepsItPrivate) {
  EXPECT_EQ(reason(local + "  %r = call i32 @clock_gettime(i32 0, ptr %x)\n"), "non-escaping-alloca");
}

TEST(Escape, LibraryFunctionThatRemembers_DoesNot) {
  EXPECT_EQ(reason(local + "  %r = call i32 @pthread_setspecific(i32 0, ptr %x)\n"), "checked");
  EXPECT_EQ(reason(local + "  %r = call i64 @strtol(ptr %x, ptr @global, i32 10)\n"), "checked");
}

TEST(Escape, LibraryFunctionThatReturnsAPointer_DoesNot) {
  EXPECT_EQ(reason(local + "  %r = call ptr @strtok(ptr @global, ptr %x)\n"), "checked");
}

TEST(Escape, OurOwnChecks_KeepItPrivate) {
  EXPECT_EQ(reason(local + "  call void @__footrace_read4(ptr %x, ptr null)\n"), "non-escaping-alloca");
}

} // namespace
} // namespace footrace
