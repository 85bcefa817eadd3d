#include "findings/expression.h"

#include "findings/sample_finding.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace footrace::findings {
namespace {

// The caret is a line of spaces and `^`, as reports print it.
std::string use_at(std::string_view line, std::string_view caret, std::string_view member = {}) {
  SourceUse found = read_use(line, static_cast<unsigned>(caret.find('^')) + 1, member);
  return found.expression + " " + found.use;
}

TEST(Expression, OperatorAndBeginning_LeadToTheSameText) {
  std::string_view line = "  this->total_ += amount;";
  EXPECT_EQ(use_at(line, "               ^       "), "total_ update");
  EXPECT_EQ(use_at(line, "        ^              "), "total_ update");
  EXPECT_EQ(use_at(line, "  ^                    "), "total_ update");
  EXPECT_EQ(use_at(line, "                  ^"), "amount read");
}

TEST(Expression, Members_AreReadFromDebugInformationsMember) {
  std::string_view line = "  queue->head.next[i + 1] = node->next;";
  EXPECT_EQ(use_at(line, "              ^"), "queue.head.next write");
  EXPECT_EQ(use_at(line, "                          ^"), "queue.head.next write");
  EXPECT_EQ(use_at(line, "                                  ^"), "node.next read");
  EXPECT_EQ(use_at(line, "                            ^"), "node read");
  EXPECT_EQ(use_at(line, "  ^"), "queue read");
  EXPECT_EQ(use_at(line, "  ^", "next"), "queue.head.next write") << "scan knows which member is meant";
}

TEST(Expression, IncrementsOnEitherSide) {
  EXPECT_EQ(use_at("  ++stats.hits;", "  ^"), "stats.hits update");
  EXPECT_EQ(use_at("  ++stats.hits;", "          ^"), "stats.hits update");
  EXPECT_EQ(use_at("  stats.hits++;", "            ^"), "stats.hits update");
  EXPECT_EQ(use_at("  a[k]--;", "      ^"), "a update");
}

TEST(Expression, Pointers_AreNotWhatTheyPointTo) {
  EXPECT_EQ(use_at("  *flag = 1;", "        ^"), "*flag write");
  EXPECT_EQ(use_at("  flag = &x;", "       ^"), "flag write");
  EXPECT_EQ(use_at("  x = 2 * *flag;", "          ^"), "*flag read");
  EXPECT_EQ(use_at("  x = a * flag;", "          ^"), "flag read");
}

TEST(Expression, CallsAndComparisons) {
  EXPECT_EQ(use_at("  items.push_back(1);", "        ^"), "items.push_back call");
  EXPECT_EQ(use_at("  if (done == 1) return;", "      ^"), "done read");
  EXPECT_EQ(use_at("  return balance_;", "  ^"), "balance_ read");
  EXPECT_EQ(use_at("  (*p).x = 1;", "         ^"), "p.x write");
}

TEST(Expression, WhatIsNotThere_IsNotFound) {
  EXPECT_EQ(use_at("", "^"), " ");
  EXPECT_EQ(use_at("  // a = 1", "       ^"), " ");
  EXPECT_EQ(use_at("  }", "  ^"), " ");
  EXPECT_EQ(use_at("  p = new T;", "      ^"), " ");
  EXPECT_EQ(use_at("  a = 1;", "                  ^"), " ");
  EXPECT_EQ(use_at("]]]))) = 1", "       ^"), " ");
  EXPECT_EQ(use_at("((((", "  ^"), " ");
  EXPECT_EQ(use_at("\"unterminated", "^"), " ");
  EXPECT_EQ(use_at("  1 = ", "    ^"), " ");
}

TEST(Expression, TheMarkedTextIsThatOfTheLine) {
  std::string line = "\tx = this->rows[i].sum + 1;";
  SourceUse found = read_use(line, 20);
  EXPECT_EQ(line.substr(found.first - 1, found.length), "this->rows[i].sum");
}

TEST(Expression, EveryColumnOfAnyText_EndsAndStaysInside) {
  for (std::string line : {"a->b[(c.d)]*=++*this->f(g)->h;", "x.y::z<<=(((", "]].)->[[", "\"\\", "'"})
    for (unsigned column = 0; column < 40; ++column)
      for (std::string member : {"", "b", "h"}) {
        SourceUse found = read_use(line, column, member);
        if (!found.expression.empty()) EXPECT_LE(found.first - 1 + found.length, line.size());
      }
}

TEST(PlainFunction, IsTheSameForDebugInformationAndFrontEnd) {
  EXPECT_EQ(plain_function("Bank::transfer(Account&, Account&, long)"), "Bank::transfer");
  EXPECT_EQ(plain_function("main::$_0::operator()() const"), "main::lambda::operator()");
  EXPECT_EQ(plain_function("main::$_12::operator()() const"), "main::lambda::operator()");
  EXPECT_EQ(plain_function("main()::(lambda)::operator()"), "main::lambda::operator()");
  EXPECT_EQ(plain_function("main()::{lambda(int)#2}::operator()(int) const"), "main::lambda::operator()");
  EXPECT_EQ(plain_function("Cache::get()::'lambda0'(int)::operator()(int) const"),
            "Cache::get::lambda::operator()");
  EXPECT_EQ(plain_function("void add<std::vector<int>>(std::vector<int>&)"), "add");
  EXPECT_EQ(plain_function("(anonymous namespace)::tick(unsigned long)"), "tick");
  EXPECT_EQ(plain_function("Ring<int, 4ul>::operator[](unsigned long) const"), "Ring::operator[]");
  EXPECT_EQ(plain_function("Key::operator<(Key const&) const"), "Key::operator<");
  EXPECT_EQ(plain_function("Flag::operator bool() const"), "Flag::operator bool");
  EXPECT_EQ(plain_function("worker.constprop.0"), "worker");
  EXPECT_EQ(plain_function("worker"), "worker");
  EXPECT_EQ(plain_function(""), "");
}

TEST(PlainPath, HasNeitherThisNorSubscripts) {
  EXPECT_EQ(plain_path("this->queue->items[*].size"), "queue.items.size");
  EXPECT_EQ(plain_path("bank.transfers_"), "bank.transfers_");
}

// One program, and the place of the race in it as each part of the toolkit names it.
class SourceTest : public testing::Test {
protected:
  SourceTest() : file_(testing::TempDir() + "/footrace_expression_" + std::to_string(getpid()) + ".cpp") {}
  ~SourceTest() override { std::filesystem::remove(file_); }

  Finding finding(const std::string& part, const std::string& function, unsigned line, unsigned column,
                  AccessKind kind) {
    Finding finding;
    finding.part = part;
    finding.rule = part == "scan" ? "write-write-race" : "data-race";
    Access access;
    access.kind = kind;
    access.stack = {sample_frame(function, file_, line, column)};
    if (part == "scan") access.expression = "bank.count_";
    finding.accesses = {access, access};
    finding.accesses[1].kind = AccessKind::Write;
    SourceLines source;
    read_source(finding, source);
    return finding;
  }
  std::string print(unsigned line, unsigned column = 10) {
    return finding("dynamic", "Bank::add(int)", line, column, AccessKind::Write).fingerprint;
  }
  void write(const std::string& text) { std::ofstream(file_) << text; }

  std::string file_;
};

TEST_F(SourceTest, RunScanAndProof_HaveOneFingerprint) {
  write("void Bank::add(int n) {\n  count_ += n;\n}\n");
  std::string run = print(2);
  EXPECT_EQ(finding("prove", "Bank::add(int)", 2, 10, AccessKind::Read).fingerprint, run);
  EXPECT_EQ(finding("scan", "Bank::add", 2, 3, AccessKind::Write).fingerprint, run);
  EXPECT_NE(finding("scan", "Bank::sub", 2, 3, AccessKind::Write).fingerprint, run);
}

TEST_F(SourceTest, Edits_AboveBelowAndInside_KeepTheFingerprint) {
  write("void Bank::add(int n) {\n  count_ += n;\n}\n");
  std::string before = print(2);
  write("// above\n\nvoid Bank::add(int n) {\n  count_ += n;\n}\n");
  EXPECT_EQ(print(4), before);
  write("void Bank::add(int n) {\n  count_ += n;\n}\nint below;\n");
  EXPECT_EQ(print(2), before);
  write("void Bank::add(int n) {\n  if (n > 0)\n    count_   +=  3 * n; // inside\n}\n");
  EXPECT_EQ(print(3, 14), before);
}

TEST_F(SourceTest, AnotherDefect_HasAnotherFingerprint) {
  write("void Bank::add(int n) {\n  count_ += n;\n  total_ += n;\n  count_ = n;\n}\n");
  EXPECT_NE(print(2), print(3)) << "another variable";
  EXPECT_NE(print(2), print(4)) << "another use of it";
}

TEST_F(SourceTest, TheOperator_IsBelievedMoreThanTheKindThatWasSeen) {
  write("int* data;\nvoid f() {\n  flag = 1;\n  data[0] = 1;\n}\n");
  auto kind_at = [&](unsigned line, unsigned column, AccessKind kind) {
    return finding("dynamic", "f()", line, column, kind).accesses[0].use;
  };
  EXPECT_EQ(kind_at(3, 8, AccessKind::Read), "write");
  EXPECT_EQ(kind_at(4, 11, AccessKind::Write), "write");
  EXPECT_EQ(kind_at(4, 3, AccessKind::Read), "read") << "of the pointer";
}

TEST_F(SourceTest, Excerpt_IsKeptWithTheFinding) {
  write("1\n2\n3\n4\n5\n  count_ += n;\n7\n");
  const Access access = finding("dynamic", "f()", 6, 10, AccessKind::Write).accesses[0];
  EXPECT_EQ(access.excerpt.first, 2u);
  EXPECT_EQ(access.excerpt.lines.size(), 6u);
  EXPECT_EQ(access.excerpt.lines[4], "  count_ += n;");
  EXPECT_EQ(access.expression, "count_");
  EXPECT_EQ(access.use, "update");
}

TEST_F(SourceTest, WithoutTheSource_WhatIsKnownStays) {
  Finding scanned = finding("scan", "Bank::add", 2, 3, AccessKind::Write);
  EXPECT_EQ(scanned.accesses[0].expression, "bank.count_");
  EXPECT_TRUE(scanned.accesses[0].excerpt.lines.empty());
}

} // namespace
} // namespace footrace::findings
