#include "bench/options.h"

#include "bench/source_packages.h"

#include <gtest/gtest.h>

namespace footrace::bench {
namespace {

TEST(Options, Defaults_AreAllPresetsTwoThreadsThreeRuns) {
  Options options;
  ASSERT_EQ(parse_options({}, options), 0);
  EXPECT_FALSE(options.presets.empty());
  EXPECT_EQ(options.threads, std::vector<unsigned>{2});
  EXPECT_EQ(options.runs, 3u);
  EXPECT_EQ(options.command, "./footrace bench");
}

TEST(Options, Values_AreTakenInBothSpellings) {
  Options options;
  ASSERT_EQ(parse_options({"--threads", "1,2,8", "--runs=5", "--size", "small", "--json=a.json"}, options),
            0);
  EXPECT_EQ(options.threads, (std::vector<unsigned>{1, 2, 8}));
  EXPECT_EQ(options.runs, 5u);
  EXPECT_EQ(options.size, "small");
  EXPECT_EQ(options.json, "a.json");
}

TEST(Options, WrongValues_AreUsageErrors) {
  for (std::vector<std::string> wrong : {std::vector<std::string>{"--threads", "0"},
                                         {"--threads", ""},
                                         {"--runs", "many"},
                                         {"--size", "huge"},
                                         {"--presets", "nosuch"},
                                         {"--programs", "nosuch"},
                                         {"--json"},
                                         {"--nosuch"},
                                         {"--real", "--scaling"},
                                         {"--idioms", "--real"},
                                         {"--idioms", "--programs", "shardedmap"},
                                         {"--programs", "crypt-aos"},
                                         {"--real", "--programs", "crypt"},
                                         {"--scaling", "--programs", "crypt"}}) {
    Options options;
    EXPECT_EQ(parse_options(wrong, options), 2) << wrong[0];
  }
}

TEST(Options, Idioms_AreCalledByKernelOrByStyle) {
  Options options;
  ASSERT_EQ(parse_options({"--idioms", "--programs", "sor,crypt-aos"}, options), 0);
  EXPECT_EQ(options.what, What::Idioms);
  EXPECT_TRUE(options.html.ends_with("/bench-idioms.html")) << options.html;
}

TEST(Options, PlainBench_HasItsChartsInBenchHtml) {
  Options options;
  ASSERT_EQ(parse_options({}, options), 0);
  EXPECT_TRUE(options.html.ends_with("/bench.html")) << options.html;
}

TEST(SourcePackages, BothFormats_BecomeDebSrc) {
  EXPECT_EQ(as_deb_src_lines("# deb no\ndeb [signed-by=/k] http://a b main\ndeb-src http://a b main\n"),
            "deb-src [signed-by=/k] http://a b main\n");
  EXPECT_EQ(as_deb_src_stanzas("Types: deb\nURIs: http://a\n"), "Types: deb-src\nURIs: http://a\n");
}

} // namespace
} // namespace footrace::bench
