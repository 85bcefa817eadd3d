#include "driver/clang_arguments.h"

#include "gtest/gtest.h"
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace footrace::driver {
namespace {

using Words = std::vector<std::string>;

LinkKind link_of(const Words& arguments) { return inspect_clang_arguments(arguments).link; }

TEST(ClangArguments, SourceAlone_LinksExecutable) { EXPECT_EQ(link_of({"a.cpp"}), LinkKind::Executable); }

TEST(ClangArguments, StopBeforeTheLinker_LinksNothing) {
  for (const char* option : {"-c", "-S", "-E", "-M", "-MM", "-fsyntax-only", "--precompile", "--analyze"})
    EXPECT_EQ(link_of({option, "a.cpp"}), LinkKind::None) << option;
}

TEST(ClangArguments, DependencyFilesOnTheSide_StillLink) {
  EXPECT_EQ(link_of({"-MD", "-MF", "a.d", "-MT", "a.o", "a.cpp"}), LinkKind::Executable);
}

TEST(ClangArguments, NoInputs_LinksNothing) {
  for (const Words& words : {Words{"--version"}, Words{"-v"}, Words{"-dumpmachine"},
                             Words{"-print-search-dirs"}, Words{"-Wl,--version"}})
    EXPECT_EQ(link_of(words), LinkKind::None) << words[0];
}

TEST(ClangArguments, ValuesOfOptions_AreNotInputs) {
  ClangArguments found =
      inspect_clang_arguments({"-o", "-c", "-I", "-shared", "-Xclang", "-S", "-include", "-E", "a.c", "b.o"});
  EXPECT_EQ(found.inputs, (Words{"a.c", "b.o"}));
  EXPECT_EQ(found.link, LinkKind::Executable);
  EXPECT_EQ(found.output, "-c");
}

TEST(ClangArguments, SharedAndRelocatable_AreToldApart) {
  EXPECT_EQ(link_of({"-shared", "a.o"}), LinkKind::Shared);
  EXPECT_EQ(link_of({"-r", "a.o"}), LinkKind::Relocatable);
  EXPECT_EQ(link_of({"-shared", "-c", "a.c"}), LinkKind::None);
}

TEST(ClangArguments, FilesAfterDoubleDash_AreInputs) {
  EXPECT_EQ(inspect_clang_arguments({"-c", "--", "-odd.c"}).inputs, Words{"-odd.c"});
}

TEST(ClangArguments, NestedResponseFiles_AreExpanded) {
  std::string folder = testing::TempDir() + "footrace-" + std::to_string(getpid());
  std::filesystem::create_directory(folder);
  std::ofstream(folder + "/inner") << "-shared 'a file.o'\n";
  std::ofstream(folder + "/outer") << "@" << folder << "/inner -fsanitize=thread\n";
  ClangArguments found = inspect_clang_arguments({"@" + folder + "/outer"});
  EXPECT_EQ(found.link, LinkKind::Shared);
  EXPECT_EQ(found.inputs, Words{"a file.o"});
  EXPECT_TRUE(found.asks_for_thread_sanitizer);
  std::filesystem::remove_all(folder);
}

TEST(ClangArguments, ThreadSanitizer_IsFoundInLists) {
  EXPECT_TRUE(inspect_clang_arguments({"-fsanitize=undefined,thread", "a.c"}).asks_for_thread_sanitizer);
  EXPECT_FALSE(
      inspect_clang_arguments({"-fsanitize=thread", "-fno-sanitize=all", "a.c"}).asks_for_thread_sanitizer);
  EXPECT_FALSE(inspect_clang_arguments({"-fsanitize=undefined", "a.c"}).asks_for_thread_sanitizer);
}

TEST(ClangArguments, NoSanitizeThread_LeavesFilesUnchecked) {
  EXPECT_TRUE(inspect_clang_arguments({"-fno-sanitize=thread", "a.c"}).leaves_unchecked);
  EXPECT_TRUE(inspect_clang_arguments({"-fsanitize=thread", "-fno-sanitize=all", "a.c"}).leaves_unchecked);
  EXPECT_FALSE(
      inspect_clang_arguments({"-fno-sanitize=thread", "-fsanitize=thread", "a.c"}).leaves_unchecked);
  EXPECT_FALSE(inspect_clang_arguments({"-fno-sanitize=undefined", "a.c"}).leaves_unchecked);
}

TEST(ClangArguments, OtherSanitizers_AreNamedUnlessSwitchedOff) {
  EXPECT_EQ(inspect_clang_arguments({"-fsanitize=undefined,address", "a.c"}).other_sanitizers,
            Words{"address"});
  EXPECT_TRUE(inspect_clang_arguments({"-fsanitize=address", "-fno-sanitize=address", "a.c"})
                  .other_sanitizers.empty());
}

TEST(ClangArguments, IgnoreLists_AreGatheredUnlessTakenBack) {
  EXPECT_EQ(
      inspect_clang_arguments({"-fsanitize-ignorelist=a", "-fsanitize-ignorelist=b", "a.c"}).ignore_lists,
      (Words{"a", "b"}));
  EXPECT_EQ(inspect_clang_arguments(
                {"-fsanitize-ignorelist=a", "-fno-sanitize-ignorelist", "-fsanitize-ignorelist=b", "a.c"})
                .ignore_lists,
            Words{"b"});
}

TEST(ClangArguments, ForeignTargets_AreNamed) {
  EXPECT_EQ(inspect_clang_arguments({"-m32", "a.c"}).foreign_target, "-m32");
  EXPECT_EQ(inspect_clang_arguments({"--target=aarch64-linux-gnu", "a.c"}).foreign_target,
            "--target=aarch64-linux-gnu");
  EXPECT_EQ(inspect_clang_arguments({"-m64", "--target=x86_64-pc-linux-gnu", "a.c"}).foreign_target, "");
  EXPECT_EQ(inspect_clang_arguments({"-m32", "-m64", "a.c"}).foreign_target, "");
}

TEST(ClangArguments, StaticLibstdcxx_IsFound) {
  EXPECT_TRUE(inspect_clang_arguments({"-static-libstdc++", "a.cpp"}).links_libstdcxx_statically);
  EXPECT_FALSE(inspect_clang_arguments({"-static-libgcc", "a.cpp"}).links_libstdcxx_statically);
}

TEST(ClangArguments, UnknownOptionsAndMissingValues_AreNamed) {
  EXPECT_EQ(inspect_clang_arguments({"--no-such-option", "a.c"}).unknown, Words{"--no-such-option"});
  EXPECT_EQ(inspect_clang_arguments({"a.c", "-o"}).missing_value, "-o");
}

} // namespace
} // namespace footrace::driver
