#include "scan/store/store.h"

#include "scan/domain/domain_test.h"

#include <filesystem>
#include <fstream>

namespace footrace::scan::store {
namespace {

namespace fs = std::filesystem;
using domain::Summaries;

// Locks, ownership, turns, recursion, returned paths: something of everything that a summary has.
std::string program_text(const std::string& leaf) {
  return R"(class C locks;
method leaf(this: C) in C public { )" +
         leaf + R"( }
method other(this: C, x) in C public { lock shared this->m; use this->n.k; x->f := this->p; unlock shared this->m; return this->p; }
method caller(this: C) in C public { lock @g; call leaf(this); t := call other(this, this->q); unlock @g; wait w(); use t->v; }
method top(this: C) in C public { call caller(this); receive a(&this->flag); use this->z; send a(&this->flag); }
method even(this: C) in C public { call odd(this); use this->e; }
method odd(this: C) in C public { if * { call even(this); } spawn worker(this); }
)";
}

class StoreTest : public testing::Test {
protected:
  StoreTest() : file_(fs::path(testing::TempDir()) / "footrace-scan-summaries") { fs::remove(file_); }
  ~StoreTest() override { fs::remove(file_); }

  struct Result {
    unsigned analysed = 0;
    std::map<std::string, std::string> summaries; // by name, as bytes
  };
  Result run(const std::string& text, std::uint64_t identity = 1, domain::Options options = {}) {
    SummaryStore store(file_, identity);
    Summaries summaries = domain::summarize(domain::program_of(text), options, {}, &store);
    EXPECT_TRUE(store.save());
    Result result{store.analysed(), {}};
    NameTable names;
    for (const auto& [name, summary] : std::map(summaries.begin(), summaries.end()))
      result.summaries.emplace(name.text(), encode(summary, names));
    return result;
  }
  std::string file_;
};

TEST_F(StoreTest, WhatIsReadIsWhatWasWritten) {
  for (domain::Domain domain : {domain::Domain::Stability, domain::Domain::Ownership}) {
    domain::Options options;
    options.domain = domain;
    for (const auto& [name, summary] :
         domain::summarize(domain::program_of(program_text("use this->x;")), options)) {
      NameTable names;
      std::string bytes = encode(summary, names);
      domain::Summary read;
      ASSERT_TRUE(decode(bytes, names, read)) << name.text();
      EXPECT_TRUE(read.has_same_effect(summary)) << name.text();
      EXPECT_EQ(encode(read, names), bytes) << name.text();
    }
  }
}

TEST_F(StoreTest, NothingIsAnalysedTwice) {
  Result first = run(program_text("use this->x;"));
  Result second = run(program_text("use this->x;"));
  EXPECT_EQ(first.analysed, 6u);
  EXPECT_EQ(second.analysed, 0u);
  EXPECT_EQ(first.summaries, second.summaries);
}

TEST_F(StoreTest, AnEditIsFollowedToCallersOnly) {
  run(program_text("use this->x;"));
  Result edited = run(program_text("use this->y;"));
  EXPECT_EQ(edited.analysed, 3u); // leaf, caller, top
  fs::remove(file_);
  EXPECT_EQ(edited.summaries, run(program_text("use this->y;")).summaries);
}

TEST_F(StoreTest, AnEditWithoutEffectStopsThere) {
  run(program_text("use this->x;"));
  EXPECT_EQ(run(program_text("t := ?;   use this->x;")).analysed, 3u); // the place of the access moved
  EXPECT_EQ(run(program_text("t := ?;   use this->x; u := ?;")).analysed, 1u);
}

TEST_F(StoreTest, AMemberOfACycleTakesTheCycleWithIt) {
  std::string text = program_text("");
  run(text);
  text.replace(text.find("this->e;"), 8, "this->d;");
  EXPECT_EQ(run(text).analysed, 2u);
}

TEST_F(StoreTest, AFunctionThatGetsABodyIsSeen) {
  std::string text = program_text("");
  run(text);
  EXPECT_EQ(run(text + "method w() { use @global; }").analysed, 1u); // called by nothing but a wait
  run(text = "method f() { call g(); }");
  EXPECT_EQ(run(text + "method g() { use @global; }").analysed, 2u);
}

TEST_F(StoreTest, AnotherProgramOrOptionsMakeTheirOwn) {
  run(program_text(""), 1);
  EXPECT_EQ(run(program_text(""), 2).analysed, 6u);
}

TEST_F(StoreTest, ADamagedFileHoldsNothing) {
  run(program_text(""));
  std::string bytes(fs::file_size(file_), '\0');
  std::ifstream(file_, std::ios::binary).read(bytes.data(), std::streamsize(bytes.size()));
  for (std::size_t size : {std::size_t(0), std::size_t(10), bytes.size() / 2, bytes.size() - 1}) {
    std::ofstream(file_, std::ios::binary) << bytes.substr(0, size);
    EXPECT_EQ(run(program_text("")).analysed, 6u) << size;
  }
}

// A summary that is damaged is made again, and what is damaged elsewhere costs all of them; nothing wrong is ever read.
TEST_F(StoreTest, ADamagedByteIsNoticed) {
  const Result whole = run(program_text(""));
  std::string bytes(fs::file_size(file_), '\0');
  std::ifstream(file_, std::ios::binary).read(bytes.data(), std::streamsize(bytes.size()));
  for (char& byte : bytes) {
    byte ^= 1;
    std::ofstream(file_, std::ios::binary) << bytes;
    const Result again = run(program_text(""));
    EXPECT_GT(again.analysed, 0u) << &byte - bytes.data();
    EXPECT_EQ(again.summaries, whole.summaries) << &byte - bytes.data();
    byte ^= 1;
  }
}

TEST_F(StoreTest, OtherFilesOfTheProjectAreKept) {
  std::string text = program_text("");
  run(text);
  run("method alone() { use @x; } method beside() { call alone(); } method third() {} method fourth() {} "
      "method fifth() {} method sixth() {}");
  EXPECT_EQ(run(text).analysed, 0u);
}

} // namespace
} // namespace footrace::scan::store
