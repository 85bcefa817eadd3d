#include "findings/json.h"

#include "findings/sample_finding.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace footrace::findings {
namespace {

Finding full_finding() {
  Finding finding = sample_finding();
  finding.level = Level::Warning;
  finding.confidence = Confidence::Likely;
  finding.evidence = {{EvidenceKind::Observed, 3}, {EvidenceKind::Suspected, 1}};
  finding.sources = {"/src/bank.cpp", "/src/\"odd\".h"};
  finding.accesses[0].excerpt = {11, {"void deposit() {", "\taccount.balance += \"\\\";"}};
  finding.explanation = "line one\nline \"two\"\t\x01";
  finding.accesses[0].intercepted = "memcpy";
  finding.accesses[0].event = 4711;
  finding.accesses[0].stack_lost = finding.accesses[0].locks_lost = true;
  finding.accesses[0].stack[0].inlined = true;
  finding.accesses[1].address = ~std::uint64_t(0);
  finding.accesses[1].size = ~std::uint64_t(0);
  finding.accesses[1].locks[0].mode = LockMode::Shared;
  finding.accesses[1].locks[0].after = 1;
  finding.threads[1].joiner = 0;
  finding.threads[1].joined = true;
  finding.threads[1].join = {sample_frame("main", "/src/bank.cpp", 31, 9)};
  finding.order = Order::Earlier;
  finding.through = "bank_mutex";
  finding.slept = {sample_frame("audit()", "/src/bank.cpp", 16, 5)};
  finding.memory->freed = true;
  finding.memory->name = "counter";
  finding.memory->type = "Account";
  finding.memory->member = ".balance";
  finding.memory->location = {"/src/bank.cpp", 5, 2};
  finding.memory->module = "/bin/bank";
  finding.memory->offset = 0x10;
  finding.memory->vtable = "Base";
  return finding;
}

TEST(Json, RoundTrip_KeepsEveryField) {
  for (const Finding& finding : {sample_finding(), full_finding(), Finding()}) {
    Finding sealed = finding;
    if (sealed.fingerprint.empty()) seal(sealed);
    std::string line = write_json(sealed);
    EXPECT_EQ(line.find('\n'), line.size() - 1) << "one finding is one line";
    ReadResult result = parse_findings(line);
    ASSERT_TRUE(result.problems.empty()) << result.messages("x").front();
    ASSERT_EQ(result.findings.size(), 1u);
    EXPECT_TRUE(result.findings.front() == sealed) << line << write_json(result.findings.front());
  }
}

TEST(Json, InvalidUtf8_IsReplaced) {
  Finding finding = sample_finding();
  finding.accesses[0].stack[0].location.file = "/src/\xff.cpp";
  ReadResult result = parse_findings(write_json(finding));
  ASSERT_EQ(result.findings.size(), 1u);
  EXPECT_EQ(result.findings[0].accesses[0].stack[0].location.file, "/src/\xef\xbf\xbd.cpp");
}

TEST(Json, DamagedLines_AreNamedAndTheOthersKept) {
  std::string good = write_json(sample_finding());
  std::string text = good + "not json\n" + "\n" + "[1,2]\n" + good + R"({"schema":2})" + "\n";
  text += good.substr(0, good.size() / 2); // the writer was killed
  ReadResult result = parse_findings(text);
  EXPECT_EQ(result.findings.size(), 2u);
  std::vector<std::string> messages = result.messages("races.jsonl");
  ASSERT_EQ(messages.size(), 4u);
  EXPECT_EQ(messages[0], "races.jsonl:2: not JSON: [1:2, byte=2]: Invalid JSON value (null?)");
  EXPECT_EQ(messages[1], "races.jsonl:4: the line: expected an object");
  EXPECT_EQ(messages[2], "races.jsonl:6: fingerprint: missing");
  EXPECT_TRUE(
      messages[3].starts_with("races.jsonl:7: truncated line (was the writer interrupted?): not JSON: "));
}

std::string problem_with(std::string from, std::string to) {
  std::string line = write_json(sample_finding());
  std::size_t at = line.find(from);
  if (at == std::string::npos) return "the sample has no " + from;
  line.replace(at, from.size(), to);
  ReadResult result = parse_findings(line);
  return result.problems.empty() ? "none" : result.problems.front().reason;
}

TEST(Json, WrongValues_AreNamedByPath) {
  EXPECT_EQ(problem_with("\"size\":4", "\"size\":-4"),
            "accesses[0].size: expected a number that is not negative");
  EXPECT_EQ(problem_with("\"kind\":\"write\"", "\"kind\":\"peek\""),
            "accesses[0].kind: unknown value 'peek'");
  EXPECT_EQ(problem_with("\"kind\":\"write\",", ""), "accesses[0].kind: missing");
  EXPECT_EQ(problem_with("\"line\":12", "\"line\":4294967296"),
            "accesses[0].location.line: number too large");
  EXPECT_EQ(problem_with("\"address\":\"0x7b10\"", "\"address\":\"7b10\""),
            "accesses[0].address: expected an address such as \"0x7f00\"");
  EXPECT_EQ(problem_with("\"region\":\"heap\"", "\"region\":[]"), "memory.region: expected a string");
  EXPECT_EQ(problem_with("\"threads\":[", "\"threads\":0,\"x\":["), "threads: expected a list");
  EXPECT_EQ(problem_with("\"accesses\":[", "\"accesses\":[7,"), "accesses[0]: expected an object");
  EXPECT_EQ(problem_with("\"kind\":\"observed\"", "\"kind\":\"guessed\""),
            "evidence[0].kind: unknown value 'guessed'");
  EXPECT_EQ(problem_with("\"finished\":true", "\"finished\":1"),
            "threads[1].finished: expected true or false");
}

TEST(Json, UnknownFields_AreIgnored) {
  EXPECT_EQ(problem_with("\"pid\":", "\"colour\":\"red\",\"pid\":"), "none");
}

TEST(Json, NewerSchema_IsRefused) {
  EXPECT_EQ(problem_with("\"schema\":2", "\"schema\":3"),
            "schema: version 3 is newer than version 2, the newest this footrace reads");
}

TEST(Json, OlderSchema_IsReadWithItsFingerprintMadeAnew) {
  std::string line = write_json(sample_finding());
  auto replace = [&](std::string_view from, std::string_view to) {
    line.replace(line.find(from), from.size(), to);
  };
  replace("\"schema\":2", "\"schema\":1");
  replace(sample_finding().fingerprint, "0123456789abcdef");
  replace(R"("evidence":[{"kind":"observed","count":1}])", R"("evidence":"Why.")");
  ReadResult result = parse_findings(line);
  ASSERT_EQ(result.findings.size(), 1u) << result.messages("x").front();
  EXPECT_EQ(result.findings[0].fingerprint, sample_finding().fingerprint);
  EXPECT_EQ(result.findings[0].explanation, "Why.");
  EXPECT_EQ(result.findings[0].evidence, (std::vector<Evidence>{{EvidenceKind::Observed, 1}}));
  EXPECT_EQ(result.findings[0].schema, schema_version);
}

TEST(Json, HostileNesting_IsRefused) {
  ReadResult result = parse_findings(std::string(1000000, '[') + '\n' + write_json(sample_finding()));
  ASSERT_EQ(result.problems.size(), 1u);
  EXPECT_EQ(result.problems[0].reason, "values nested more than 64 deep");
  EXPECT_EQ(result.findings.size(), 1u);
  // Brackets inside strings nest nothing.
  EXPECT_EQ(problem_with("\"rule\":\"", "\"x\":\"\\\"" + std::string(100, '[') + "\",\"rule\":\""), "none");
}

TEST(Json, EveryPrefixOfALine_IsReadWithoutACrash) {
  std::string line = write_json(full_finding());
  for (std::size_t size = 0; size + 1 < line.size(); ++size)
    EXPECT_TRUE(parse_findings(line.substr(0, size)).findings.empty());
}

TEST(Json, Files_AreReadOrExplained) {
  std::string file = testing::TempDir() + "/footrace_json_test.jsonl";
  std::ofstream(file) << write_json(sample_finding()) << write_json(full_finding());
  EXPECT_EQ(read_findings(file).findings.size(), 2u);
  std::filesystem::remove(file);
  ReadResult missing = read_findings(file);
  ASSERT_EQ(missing.problems.size(), 1u);
  EXPECT_EQ(missing.messages("races.jsonl").front(), "races.jsonl: cannot read: No such file or directory");
}

} // namespace
} // namespace footrace::findings
