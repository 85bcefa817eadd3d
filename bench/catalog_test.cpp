#include "bench/catalog.h"

#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <set>

namespace fs = std::filesystem;

namespace footrace::bench {
namespace {

std::set<std::string> sources_in(const std::string& folder) {
  std::set<std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(checkout() + folder))
    if (entry.path().extension() == ".cpp") files.insert(entry.path());
  return files;
}

std::set<std::string> sources_of(std::span<const Program> programs) {
  std::set<std::string> files;
  for (const Program& program : programs) files.insert(source_of(program));
  return files;
}

TEST(Catalog, EverySourceIsListedAndEveryListedOneIsThere) {
  EXPECT_EQ(sources_of(all_programs()), sources_in("/bench/programs"));
  EXPECT_EQ(sources_of(all_idioms()), sources_in("/bench/idioms"));
}

TEST(Catalog, EveryKernelHasAtLeastThreeStyles) {
  std::map<std::string, int> styles;
  for (const Program& idiom : all_idioms()) ++styles[idiom.kernel];
  EXPECT_GE(styles.size(), 6u);
  for (const auto& [kernel, count] : styles) EXPECT_GE(count, 3) << kernel;
}

// Styles of one kernel are compared where they stand together.
TEST(Catalog, StylesOfOneKernelAreListedTogether) {
  std::set<std::string> ended;
  std::string last;
  for (const Program& idiom : all_idioms()) {
    if (idiom.kernel == last) continue;
    EXPECT_TRUE(ended.insert(idiom.kernel).second) << idiom.kernel;
    last = idiom.kernel;
  }
}

TEST(Catalog, KernelsArePrograms) {
  for (const Program& idiom : all_idioms()) {
    bool found = false;
    for (const Program& program : all_programs()) found |= is_called(program, idiom.kernel);
    EXPECT_TRUE(found) << idiom.kernel;
  }
}

TEST(Catalog, AnIdiomIsCalledByItsNameAndByItsKernel) {
  const Program& idiom = all_idioms()[0];
  EXPECT_TRUE(is_called(idiom, idiom.name));
  EXPECT_TRUE(is_called(idiom, idiom.kernel));
  EXPECT_FALSE(is_called(idiom, idiom.style));
  EXPECT_FALSE(is_called(all_programs()[0], ""));
}

} // namespace
} // namespace footrace::bench
