#include "runtime/options.h"

#include <fstream>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

using namespace footrace;

namespace {

struct Parsed {
  Options options;
  std::vector<std::string> warnings;
};

Parsed parse(const char* text, OptionSource source = OptionSource::Footrace, i64 verbosity = 0) {
  Parsed result;
  result.options.verbosity = verbosity;
  parse_options(
      result.options, text, source,
      [](void* context, const char* message) {
        static_cast<std::vector<std::string>*>(context)->push_back(message);
      },
      &result.warnings);
  return result;
}

TEST(Options, EverySeparator_SeparatesOptions) {
  Parsed p = parse("exitcode=3:halt_on_error=1 verbosity=2,report_limit=7\nlog_path=/x/y");
  EXPECT_EQ(p.options.exitcode, 3);
  EXPECT_TRUE(p.options.halt_on_error);
  EXPECT_EQ(p.options.verbosity, 2);
  EXPECT_EQ(p.options.report_limit, 7);
  EXPECT_STREQ(p.options.log_path, "/x/y");
  EXPECT_TRUE(p.warnings.empty());
}

TEST(Options, QuotedValue_MayHoldSeparators) {
  Parsed p = parse("log_path='/a b:c' suppressions=\"/x,y\":exitcode=1");
  EXPECT_STREQ(p.options.log_path, "/a b:c");
  EXPECT_STREQ(p.options.suppressions, "/x,y");
  EXPECT_EQ(p.options.exitcode, 1);
  EXPECT_EQ(parse("log_path='/a").warnings.size(), 1u);
}

TEST(Options, UnknownName_IsWarnedAboutByName) {
  Parsed p = parse("exitcod=3");
  ASSERT_EQ(p.warnings.size(), 1u);
  EXPECT_NE(p.warnings[0].find("'exitcod'"), std::string::npos);
  EXPECT_EQ(p.options.exitcode, 66);
}

TEST(Options, UnknownNameInTsanOptions_IsWarnedAboutByName) {
  Parsed p = parse("halt_on_eror=1", OptionSource::Tsan);
  ASSERT_EQ(p.warnings.size(), 1u);
  EXPECT_NE(p.warnings[0].find("'halt_on_eror'"), std::string::npos);
}

TEST(Options, OptionOfTsanAlone_IsOnlyMentionedWhenVerbose) {
  for (const char* text : {"second_deadlock_stack=1", "detect_deadlocks=1", "report_bugs=1", "io_sync=0",
                           "atexit_sleep_ms=0", "symbolize=1"})
    EXPECT_TRUE(parse(text, OptionSource::Tsan).warnings.empty()) << text;
  EXPECT_EQ(parse("second_deadlock_stack=1").warnings.size(), 1u); // FOOTRACE_OPTIONS is not shared
  EXPECT_EQ(parse("second_deadlock_stack=1", OptionSource::Tsan, 1).warnings.size(), 1u);
}

TEST(Options, StripPathPrefix_CountsFromEitherVariable) {
  EXPECT_STREQ(parse("strip_path_prefix=/src/", OptionSource::Tsan).options.strip_path_prefix, "/src/");
  EXPECT_STREQ(parse("strip_path_prefix=/src/").options.strip_path_prefix, "/src/");
}

TEST(Options, BadValue_KeepsTheDefaultAndSaysTheForm) {
  for (const char* text :
       {"exitcode=abc", "exitcode=256", "exitcode=-1", "exitcode=", "halt_on_error=2", "color=blue"}) {
    Parsed p = parse(text);
    ASSERT_EQ(p.warnings.size(), 1u) << text;
    EXPECT_NE(p.warnings[0].find("it takes"), std::string::npos) << p.warnings[0];
    EXPECT_EQ(p.options.exitcode, 66);
    EXPECT_FALSE(p.options.halt_on_error);
    EXPECT_STREQ(p.options.color, "auto");
  }
}

TEST(Options, NameWithoutValue_IsWarnedAbout) {
  EXPECT_EQ(parse("halt_on_error:exitcode=1").warnings.size(), 1u);
}

TEST(Options, LaterOption_Wins) { EXPECT_EQ(parse("exitcode=1:exitcode=2").options.exitcode, 2); }

TEST(Options, HistorySize_IsAPowerOfTwoOnlyInTsanOptions) {
  EXPECT_EQ(parse("history_size=7", OptionSource::Tsan).options.history_size, 32768 << 7);
  EXPECT_EQ(parse("history_size=7").options.history_size, 7);
}

TEST(Options, Include_ReadsTheFile) {
  std::string path = testing::TempDir() + "footrace_options_test";
  std::ofstream(path) << "exitcode=5\nverbosity=1\n";
  Parsed p = parse(("include=" + path).c_str());
  EXPECT_EQ(p.options.exitcode, 5);
  EXPECT_EQ(p.options.verbosity, 1);
  std::ofstream(path) << "include=" << path;
  EXPECT_EQ(parse(("include=" + path).c_str()).warnings.size(), 1u); // ends
  remove(path.c_str());
  EXPECT_EQ(parse("include=/does/not/exist").warnings.size(), 1u);
}

TEST(Options, ForEach_GivesTheTextThatParsesBack) {
  std::map<std::string, std::string> values;
  Parsed p = parse("halt_on_error=yes:report_limit=9");
  for_each_option(
      p.options,
      [](void* context, const char* name, const char* value) {
        (*static_cast<std::map<std::string, std::string>*>(context))[name] = value;
      },
      &values);
  EXPECT_EQ(values["halt_on_error"], "1");
  EXPECT_EQ(values["report_limit"], "9");
  EXPECT_EQ(values["log_path"], "stderr");
}

} // namespace
