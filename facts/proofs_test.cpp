#include "facts/embedded_ir.h"
#include "facts/proofs.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/SourceMgr.h"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>

using namespace llvm;

namespace footrace {
namespace {

// One function with a read at 3:5, a write at 3:9, and a local; `body` goes between them.
std::string program(const std::string& body, const std::string& constant = "1", unsigned line = 3) {
  const std::string text = std::to_string(line);
  return R"(
@x = global i32 0
declare void @other()
define void @f() !dbg !4 {
  %local = alloca i32
)" + body +
         R"(
  %old = load i32, ptr @x, !dbg !6
  %new = add i32 %old, )" +
         constant + R"(, !dbg !7
  store i32 %new, ptr @x, !dbg !7
  ret void
}
!llvm.dbg.cu = !{!0}
!llvm.module.flags = !{!2}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, emissionKind: LineTablesOnly)
!1 = !DIFile(filename: "f.c", directory: "/src")
!2 = !{i32 2, !"Debug Info Version", i32 3}
!4 = distinct !DISubprogram(name: "f", file: !1, line: 1, type: !5, unit: !0, spFlags: DISPFlagDefinition)
!5 = !DISubroutineType(types: !8)
!6 = !DILocation(line: )" +
         text + R"(, column: 5, scope: !4)
!7 = !DILocation(line: )" +
         text + R"(, column: 9, scope: !4)
!8 = !{null}
)";
}

class ProofsTest : public testing::Test {
protected:
  Function& parse(const std::string& text) {
    SMDiagnostic diagnostic;
    modules_.push_back(parseAssemblyString(text, diagnostic, context_));
    EXPECT_NE(modules_.back(), nullptr) << diagnostic.getMessage().str();
    return *modules_.back()->getFunction("f");
  }
  std::uint64_t shape(const std::string& text) { return shape_of(parse(text)); }

  LLVMContext context_;
  std::vector<std::unique_ptr<Module>> modules_;
};

TEST_F(ProofsTest, WrittenProofs_AreReadBack) {
  const std::string file = testing::TempDir() + "/footrace-test.proofs";
  Proofs proofs{{{"/src/a b.c", 7}},
                {{"", "f", 9, {{3, 5, false}, {3, 9, true}}}, {"/src/a b.c", "g", 1, {}}}};
  std::ofstream(file) << write_proofs(proofs);
  Expected<Proofs> read = read_proofs(file);
  ASSERT_TRUE(bool(read)) << toString(read.takeError());
  EXPECT_EQ(write_proofs(*read), write_proofs(proofs));
  ASSERT_EQ(read->functions.size(), 2u);
  EXPECT_EQ(read->functions[0].race_free, proofs.functions[0].race_free);
  EXPECT_EQ(read->functions[1].unit, "/src/a b.c");
  std::ofstream(file, std::ios::app) << "3:x r\n";
  read = read_proofs(file);
  ASSERT_FALSE(bool(read));
  EXPECT_NE(toString(read.takeError()).find(":7: not a line"), std::string::npos);
  std::filesystem::remove(file);
}

TEST_F(ProofsTest, Shape_ChangesWithWhatTheFunctionDoes) {
  const std::uint64_t plain = shape(program(""));
  EXPECT_EQ(plain, shape(program("")));
  EXPECT_NE(plain, shape(program("  call void @other()")));
  EXPECT_NE(plain, shape(program("", "2"))) << "a constant";
  EXPECT_NE(plain, shape(program("", "1", 4))) << "a place";
}

TEST_F(ProofsTest, Shape_StaysWithWhatOnlyTheLocalsSee) {
  EXPECT_EQ(shape(program("")), shape(program("  store i32 1, ptr %local")));
  EXPECT_EQ(shape(program("")), shape(program("  call void @llvm.lifetime.start.p0(ptr %local)")));
}

TEST_F(ProofsTest, OnlyAccessesThatAreNamed_AreMarked) {
  Function& function = parse(program("  store i32 1, ptr %local"));
  EXPECT_EQ(unit_of(function), "/src/f.c");
  unsigned marked = 0;
  for (Instruction& inst : instructions(function))
    marked += mark_race_free(inst, {{3, 9, true}, {3, 5, true}});
  EXPECT_EQ(marked, 1u); // at 3:5 is a read
  for (const Instruction& inst : instructions(function)) {
    EXPECT_FALSE(has_race_free_mark(inst, false));
    EXPECT_EQ(has_race_free_mark(inst, true),
              inst.getOpcode() == Instruction::Store && bool(inst.getDebugLoc()));
  }
}

TEST_F(ProofsTest, EmbeddedModules_AreFoundInConcatenatedSections) {
  std::string section = "something else\0\0";
  section.resize(16);
  for (const char* body : {"", "  call void @other()"}) {
    Module& module = *parse(program(body)).getParent();
    embed_ir(module);
    const GlobalVariable* variable = module.getGlobalVariable("__footrace_ir", /*AllowInternal=*/true);
    ASSERT_NE(variable, nullptr);
    EXPECT_EQ(variable->getSection(), embedded_ir_section);
    section += cast<ConstantDataSequential>(variable->getInitializer())->getRawDataValues();
    section.resize((section.size() + 7) / 8 * 8);
  }
  EXPECT_EQ(embedded_modules(section).size(), 2u);
  EXPECT_EQ(embedded_modules(StringRef(section).drop_back(64)).size(), 1u) << "the last is cut off";
}

} // namespace
} // namespace footrace
