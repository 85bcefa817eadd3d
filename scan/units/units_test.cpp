#include "scan/units/cache.h"
#include "scan/units/merge.h"

#include "scan/il/text.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace fs = std::filesystem;

namespace footrace::scan::units {
namespace {

il::Program program_of(const std::string& text) {
  il::ParseResult result = il::parse(text, "test.il");
  EXPECT_EQ(result.error, "");
  return result.program;
}

Unit sample() {
  Unit unit;
  unit.source = "/src/a file.cpp";
  unit.command = 0x1234;
  unit.dependencies = {{"/src/a file.cpp", 1}, {"/usr/include/x y.h", 0xffff'ffff'ffff'ffff}};
  unit.errors = {"a.cpp:1:2: expected ';'"};
  unit.witness.objects = {{"C", {"new C(\"a\")", ""}}, {"D", {"", "'D' is abstract"}}};
  unit.witness.calls = {{"m", "m", true, {{witness::Passing::Reference, {"*new int(1)", ""}}}, ""},
                        {"n", "n", true, {}, "it is not public"}};
  unit.program = program_of(
      "class C locks; method m(this: C) in C public { lock this->m; use this->x; unlock this->m; }");
  return unit;
}

TEST(Unit, RoundTrips) {
  ReadResult read = parse_unit(write_unit(sample()), "u");
  EXPECT_EQ(read.error, "");
  EXPECT_EQ(read.unit, sample());
}

TEST(Unit, EveryTruncationIsRefused) {
  const std::string text = write_unit(sample());
  for (size_t size = 0; size + 1 < text.size(); ++size)
    EXPECT_NE(parse_unit(text.substr(0, size), "u").error, "") << size;
}

TEST(Unit, EveryChangedByteIsRefused) {
  const std::string text = write_unit(sample());
  for (size_t at = 0; at + 1 < text.size(); ++at) {
    std::string changed = text;
    changed[at] ^= 1;
    EXPECT_NE(parse_unit(changed, "u").error, "") << at;
  }
}

TEST(Unit, AnotherVersionIsNamed) {
  EXPECT_NE(parse_unit("footrace scan unit 0\n", "u").error.find("version"), std::string::npos);
}

TEST(Unit, DepfileIsReadAsMakeDoes) {
  Unit unit;
  unit.source = "/s/a.cpp";
  unit.dependencies = {{"/s/a.cpp", 1}, {"/s/two words/$h.h", 2}};
  EXPECT_EQ(write_depfile(unit, "out/a.summary"),
            "out/a.summary: \\\n  /s/a.cpp \\\n  /s/two\\ words/$$h.h\n/s/two\\ words/$$h.h:\n");
}

TEST(Merger, KeepsTheFirstBodyAndWhatAnyUnitKnows) {
  Merger merger;
  merger.add(program_of("class C; method m(this: C) in C public { use this->x; }"));
  merger.add(
      program_of("class C locks; method m(this: C) in C public thread { use this->x; } method n() { }"));
  il::Program program = merger.take();
  ASSERT_EQ(program.classes.size(), 1u);
  EXPECT_TRUE(program.classes[0].has_lock);
  ASSERT_EQ(program.methods.size(), 2u);
  EXPECT_TRUE(program.methods[0].thread_entry);
  EXPECT_EQ(program.methods[0].blocks.at(0).statements.size(), 1u);
}

TEST(CompileCommands, TakesArgumentsAndCommandStrings) {
  CommandsResult result = parse_compile_commands(
      R"([{"directory":"/b","file":"x.cpp","arguments":["c++","-DA=b c","x.cpp"]},
          {"directory":"/b","file":"/s/y.c","command":"cc '-DQ=1 2' /s/y.c"},
          {"directory":"/b","file":"x.cpp","command":"c++ again"},
          {"directory":"/b","file":"z.S","command":"as z.S"}])",
      "f");
  EXPECT_EQ(result.error, "");
  ASSERT_EQ(result.commands.size(), 2u);
  EXPECT_EQ(result.commands[0].source, "/b/x.cpp");
  EXPECT_EQ(result.commands[0].arguments.at(1), "-DA=b c");
  EXPECT_EQ(result.commands[1].arguments, (std::vector<std::string>{"cc", "-DQ=1 2", "/s/y.c"}));
}

TEST(CompileCommands, SayWhatIsWrong) {
  EXPECT_NE(parse_compile_commands("[", "f").error.find("not JSON"), std::string::npos);
  EXPECT_NE(parse_compile_commands("{}", "f").error.find("not a list"), std::string::npos);
  EXPECT_NE(parse_compile_commands(R"([{"file":"x.c"}])", "f").error.find("entry 1"), std::string::npos);
  EXPECT_NE(read_compile_commands("/nonexistent").error.find("EXPORT_COMPILE_COMMANDS"), std::string::npos);
}

TEST(Cache, FindsAUnitUntilAFileOrTheCommandChanges) {
  const fs::path folder = fs::path(testing::TempDir()) / "footrace-scan-cache";
  fs::remove_all(folder);
  fs::create_directories(folder);
  const std::string header = folder / "h.h";
  std::ofstream(header) << "int x;";
  CompileCommand command = {folder, folder / "a.cpp", {"c++"}};

  Unit unit = sample();
  unit.command = command.digest();
  unit.dependencies = {{header, digest_of_file(header).value()}};
  std::ofstream(Cache(folder).file_of(command)) << write_unit(unit);
  EXPECT_EQ(Cache(folder).find(command), unit);

  CompileCommand other = command;
  other.arguments.push_back("-DX");
  EXPECT_FALSE(Cache(folder).find(other));
  std::ofstream(header) << "int y;";
  EXPECT_FALSE(Cache(folder).find(command));
  fs::remove(header);
  EXPECT_FALSE(Cache(folder).find(command));
  fs::remove_all(folder);
}

} // namespace
} // namespace footrace::scan::units
