#include "scan/witness/program.h"

#include "scan/domain/analysis.h"
#include "scan/il/text.h"

#include <gtest/gtest.h>

namespace footrace::scan::witness {
namespace {

struct Planned : testing::Test {
  // The plan for the only race of the program.
  Witness plan_of(const std::string& text) {
    il::ParseResult parsed = il::parse(text, "test.il");
    EXPECT_EQ(parsed.error, "");
    domain::Summaries summaries = domain::summarize(parsed.program, {});
    std::vector<domain::Race> races = domain::pair(parsed.program, summaries);
    if (races.size() != 1) {
      ADD_FAILURE() << races.size() << " races";
      return {};
    }
    return plan(races.front(), parsed.program, library);
  }
  Library library;
};

const char* kCounter = "class C locks;"
                       "method add(this: C) in C public { lock this->m; this->x := nothing; unlock this->m; }"
                       "method get(this: C) in C public { use this->x; }";

Facts counter_facts() {
  Facts facts;
  facts.objects = {{"C", {"new C(1)", ""}}};
  facts.calls = {{"add", "add", true, {{Passing::Copy, {"true", ""}}}, ""}, {"get", "get", true, {}, ""}};
  return facts;
}

TEST_F(Planned, Theorem_BothThreadsAreGivenTheSameObject) {
  library.add("c.cpp", counter_facts());
  Witness witness = plan_of(kCounter);
  EXPECT_EQ(witness.missing, "");
  EXPECT_EQ(witness.sources, std::vector<std::string>{"c.cpp"});
  EXPECT_EQ(witness.setup, "    auto* shared = new C(1);\n");
  EXPECT_EQ(witness.first, "shared->get()");
  EXPECT_EQ(witness.second, "shared->add(true)");
}

TEST_F(Planned, AnObjectThatCannotBeMadeIsNamed) {
  Facts facts = counter_facts();
  facts.objects[0].made = {"", "'C' is abstract"};
  library.add("c.cpp", facts);
  EXPECT_EQ(plan_of(kCounter).missing, "'C' is abstract");
}

TEST_F(Planned, AnArgumentThatCannotBeMadeIsNamed) {
  Facts facts = counter_facts();
  facts.calls[0].parameters[0].made = {"", "'T' is only declared"};
  library.add("c.cpp", facts);
  EXPECT_NE(plan_of(kCounter).missing.find("argument of add cannot be made: 'T' is only declared"),
            std::string::npos);
}

TEST_F(Planned, APrivateMethodIsNotCalled) {
  Facts facts = counter_facts();
  facts.calls[1].missing = "it is not public";
  library.add("c.cpp", facts);
  EXPECT_NE(plan_of(kCounter).missing.find("cannot call get: it is not public"), std::string::npos);
}

TEST_F(Planned, NothingIsGuessedWithoutFacts) { EXPECT_NE(plan_of(kCounter).missing, ""); }

TEST_F(Planned, AUnitThatKnowsTheClassBetterWins) {
  Facts declared = counter_facts();
  declared.objects[0].made = {"", "'C' is only declared"};
  library.add("a.cpp", declared);
  library.add("b.cpp", counter_facts());
  EXPECT_EQ(plan_of(kCounter).missing, "");
}

TEST(WriteProgram, CatchesExceptionsOnlyWhereThereAreAny) {
  Witness witness = {"f and g", {"c.cpp"}, "", "f()", "g()", ""};
  EXPECT_NE(write_program(witness, "c++", true).find("catch"), std::string::npos);
  EXPECT_EQ(write_program(witness, "c++", false).find("catch"), std::string::npos);
}

TEST(WriteProgram, CIncludesTheSourceFirst) {
  Witness witness = {"f and g", {"c.c"}, "", "f(footrace_number)", "g()", ""};
  std::string text = write_c_program(witness, "cc");
  EXPECT_LT(text.find("#include \"c.c\""), text.find("#include <pthread.h>")); // it may define feature macros
  EXPECT_NE(text.find("(void)f(footrace_number);"), std::string::npos);
  EXPECT_NE(text.find("(void)g();"), std::string::npos);
}

TEST(WriteProgram, CallsOfTwoSourcesAreApart) {
  Witness witness = {"f and g", {"a.c", "b.cpp"}, "", "f(footrace_number)", "::g()", ""};
  ASSERT_TRUE(witness.is_apart());
  std::string first = write_call(witness, Part::First, "cc", true);
  EXPECT_NE(first.find("#include \"a.c\""), std::string::npos);
  EXPECT_EQ(first.find("b.cpp"), std::string::npos);
  EXPECT_EQ(first.find("extern \"C\""), std::string::npos);
  EXPECT_NE(write_call(witness, Part::Second, "c++", false).find("extern \"C\" void footrace_call_second"),
            std::string::npos);
  std::string meeting = write_meeting(witness, "cc");
  EXPECT_EQ(meeting.find("#include \""), std::string::npos);
  EXPECT_NE(meeting.find("footrace_call_first(footrace_number)"), std::string::npos);
}

} // namespace
} // namespace footrace::scan::witness
