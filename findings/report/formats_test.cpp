// Each format has the shape that its readers ask for, also for names and sources that want to break out of it.
#include "findings/json.h"
#include "findings/report/writers.h"
#include "findings/sample_finding.h"

#include "llvm/Support/JSON.h"

#include <gtest/gtest.h>

#include <sstream>

namespace footrace::findings {
namespace {

Report report_of(std::vector<Finding> findings, const Suppressions& rules = {}) {
  Collector collector;
  for (Finding& finding : findings) collector.add(std::move(finding));
  return collector.finish(rules, "2026-11-19");
}

constexpr const char* evil =
    "</script><img src=x onerror=alert(1)>\"'&]]>\x1b[31m\x01\xff [x](1) %0A::error::";

Finding hostile_finding() {
  Finding finding = sample_finding();
  finding.rule = "data-race";
  for (Access& access : finding.accesses) {
    access.expression = evil;
    access.excerpt = {10, {evil, evil, evil, "\t", "</pre>"}};
    access.stack[0].function = evil;
    access.stack[0].location.file = std::string("/src/") + evil + ".cpp";
    access.locks = {{1, evil, LockMode::Exclusive, {}}};
  }
  finding.program = evil;
  finding.explanation = evil;
  finding.threads[1].name = evil;
  finding.memory->name = evil;
  seal(finding);
  return finding;
}

bool has_text(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// A path into parsed JSON: "runs.0.results.0.ruleId".
const llvm::json::Value* at(const llvm::json::Value& root, const std::string& path) {
  const llvm::json::Value* value = &root;
  std::istringstream words(path);
  for (std::string word; value && std::getline(words, word, '.');) {
    if (const llvm::json::Array* array = value->getAsArray()) {
      std::size_t index = std::stoul(word);
      value = index < array->size() ? &(*array)[index] : nullptr;
    } else if (const llvm::json::Object* object = value->getAsObject()) {
      value = object->get(word);
    } else {
      value = nullptr;
    }
  }
  return value;
}
std::string text_at(const llvm::json::Value& root, const std::string& path) {
  const llvm::json::Value* value = at(root, path);
  return value && value->getAsString() ? value->getAsString()->str() : "(missing " + path + ")";
}
llvm::json::Value parse(const std::string& text) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (value) return std::move(*value);
  ADD_FAILURE() << llvm::toString(value.takeError()) << " in " << text.substr(0, 400);
  return nullptr;
}

Finding of_other_process() {
  Finding finding = sample_finding();
  finding.pid += 1;
  return finding;
}

TEST(TextReport, IsNeverWiderThan80ColumnsAndHasNoControlCharacters) {
  Finding wide = hostile_finding();
  wide.accesses[0].stack[0].function = "A" + std::string(300, 'x') + "::f()";
  seal(wide);
  std::string text = write_report_text(report_of({sample_finding(), hostile_finding(), wide}), {});
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
  for (char c : text) EXPECT_TRUE(c == '\n' || static_cast<unsigned char>(c) >= 0x20);
}

TEST(TextReport, SaysWhatWhereAndWhatToDo) {
  EXPECT_EQ(write_report_text(report_of({sample_finding(), of_other_process()}), {}),
            R"(footrace: 1 finding (2 reports)

1. data race on account.balance
   ID 0c06f39dae44f327 observed 2 times
   - write in deposit, bank.cpp:12:15 by T1 'worker'; no locks
   - read in audit, bank.cpp:18:7 by main thread; bank_mutex
   suggestion: hold bank_mutex in deposit too: other accesses to it do.

In words: footrace explain ID FILES...
)");
}

TEST(TextReport, FindingsOnOneMemory_AreOneEntry) {
  std::vector<Finding> findings;
  for (int i = 0; i < 12; ++i) {
    Finding finding = sample_finding();
    finding.accesses[0].stack[0].function = "writer" + std::to_string(i) + "()";
    finding.accesses[0].stack[0].linkage_name.clear();
    seal(finding);
    findings.push_back(finding);
  }
  Finding other = sample_finding();
  for (Access& access : other.accesses) access.expression = "account.limit";
  seal(other);
  findings.push_back(other);
  EXPECT_FALSE(has_text(write_report_text(report_of(findings), {}), "together"));
  findings[11].part = "scan";
  findings[11].evidence = {{EvidenceKind::Suspected, 1}};
  std::string text = write_report_text(report_of(findings), {});
  EXPECT_TRUE(has_text(text, "13 findings (13 reports), on 2 variables")) << text;
  EXPECT_TRUE(has_text(text, "   and 11 more on this memory (all together: observed, suspected):\n")) << text;
  EXPECT_TRUE(has_text(text, "... and 3 (--all lists each)")) << text;
  EXPECT_TRUE(has_text(text, "\n2. ")) << text;
  EXPECT_FALSE(has_text(text, "\n3. ")) << text;
  EXPECT_TRUE(
      has_text(write_report_text(report_of(findings), {.color = false, .all = true, .root = ""}), "\n13. "));
}

TEST(TextReport, OnePointerToTwoGlobals_IsTwoVariables) {
  std::vector<Finding> findings;
  for (const char* name : {"first", "second", "first"}) {
    Finding finding = sample_finding();
    finding.memory->region = Region::Global;
    finding.memory->name = name;
    finding.memory->location = {"/src/bank.cpp", name[0] == 'f' ? 3u : 4u, 0};
    finding.accesses[0].stack[0].function = "writer" + std::to_string(findings.size()) + "()";
    finding.accesses[0].stack[0].linkage_name.clear();
    seal(finding);
    findings.push_back(finding);
  }
  EXPECT_TRUE(has_text(write_report_text(report_of(findings), {}), "3 findings (3 reports), on 2 variables"));
}

TEST(JsonReport, CanBeReadAgainWithItsEvidence) {
  std::string text = write_report_json(report_of({sample_finding(), of_other_process()}), {});
  ReadResult result = parse_findings(text);
  ASSERT_EQ(result.findings.size(), 1u) << text;
  EXPECT_EQ(result.findings[0].evidence[0].count, 2u);
  EXPECT_EQ(text_at(parse(text), "places.0.0"), "/src/bank.cpp:12:15");
  EXPECT_EQ(parse_findings(write_report_json(report_of({hostile_finding()}), {})).findings.size(), 1u);
}

TEST(Sarif, HasWhatCodeScanningReads) {
  llvm::json::Value log = parse(write_report_sarif(report_of({sample_finding()}), {.root = "/src"}));
  EXPECT_EQ(text_at(log, "version"), "2.1.0");
  EXPECT_EQ(text_at(log, "$schema"), "https://json.schemastore.org/sarif-2.1.0.json");
  EXPECT_EQ(text_at(log, "runs.0.tool.driver.name"), "Footrace");
  for (const char* field : {"id", "shortDescription.text", "fullDescription.text", "help.text"})
    EXPECT_FALSE(text_at(log, std::string("runs.0.tool.driver.rules.0.") + field).starts_with("(missing"));
  const std::string result = "runs.0.results.0.";
  EXPECT_EQ(text_at(log, result + "ruleId"), "data-race");
  EXPECT_EQ(text_at(log, result + "level"), "error");
  EXPECT_EQ(
      text_at(log, result + "message.text"),
      "Data race on 'account.balance': write in deposit (no locks), without order to the [other read](1) in "
      "audit (bank_mutex).");
  EXPECT_EQ(text_at(log, result + "locations.0.physicalLocation.artifactLocation.uri"), "bank.cpp");
  EXPECT_EQ(at(log, result + "locations.0.physicalLocation.region.startLine")->getAsInteger(), 12);
  EXPECT_EQ(at(log, result + "relatedLocations.0.id")->getAsInteger(), 1);
  EXPECT_EQ(at(log, result + "relatedLocations.0.physicalLocation.region.startLine")->getAsInteger(), 18);
  EXPECT_EQ(text_at(log, result + "partialFingerprints.primaryLocationLineHash"), "0c06f39dae44f327:1");
  EXPECT_NE(at(log, result + "codeFlows.0.threadFlows.1.locations.0.location"), nullptr);
  EXPECT_EQ(at(log, result + "baselineState"), nullptr);
}

TEST(Sarif, NamesCannotMakeLinksNorBreakUris) {
  llvm::json::Value log = parse(write_report_sarif(report_of({hostile_finding()}), {}));
  std::string message = text_at(log, "runs.0.results.0.message.text");
  EXPECT_FALSE(has_text(message, " [x](1)")) << message;
  EXPECT_TRUE(has_text(message, "\\[x\\](1)")) << message;
  std::string uri = text_at(log, "runs.0.results.0.locations.0.physicalLocation.artifactLocation.uri");
  EXPECT_TRUE(uri.starts_with("file:///src/%3C/script%3E%3Cimg%20src%3Dx")) << uri;
}

TEST(Sarif, StaysWithinTheLimitOfResults) {
  std::vector<Finding> many;
  for (int i = 0; i < 25010; ++i) {
    Finding finding;
    finding.fingerprint = std::to_string(i);
    many.push_back(finding);
  }
  llvm::json::Value log = parse(write_report_sarif(report_of(many), {}));
  EXPECT_EQ(at(log, "runs.0.results")->getAsArray()->size(), 25000u);
}

TEST(GitLab, HasTheFieldsOfCodeQuality) {
  llvm::json::Value list = parse(write_report_gitlab(report_of({sample_finding()}), {.root = "/src"}));
  EXPECT_EQ(text_at(list, "0.check_name"), "data-race");
  EXPECT_EQ(text_at(list, "0.fingerprint"), "0c06f39dae44f327");
  EXPECT_EQ(text_at(list, "0.severity"), "critical");
  EXPECT_EQ(text_at(list, "0.location.path"), "bank.cpp");
  EXPECT_EQ(at(list, "0.location.lines.begin")->getAsInteger(), 12);
  EXPECT_EQ(text_at(list, "0.description"),
            "data race on account.balance: write in deposit, unordered with read in audit");
  EXPECT_EQ(write_report_gitlab(report_of({}), {}), "[]\n");
  parse(write_report_gitlab(report_of({hostile_finding()}), {}));
}

TEST(JUnit, FailsForWhatNeedsActionOnly) {
  std::string text = write_report_junit(report_of({sample_finding()}), {});
  EXPECT_TRUE(has_text(text, R"(<testsuite name="footrace" tests="1" failures="1" errors="0" skipped="0">)"))
      << text;
  EXPECT_TRUE(has_text(text, R"(<failure type="data-race")"));
  std::vector<std::string> notes;
  Suppressions rules;
  rules.parse("race:deposit\n", "s", notes);
  text = write_report_junit(report_of({sample_finding()}, rules), {});
  EXPECT_TRUE(has_text(text, "failures=\"0\"")) << text;
  EXPECT_TRUE(has_text(text, "<skipped message=\"suppressed: race:deposit\"/>")) << text;
  text = write_report_junit(report_of({}), {});
  EXPECT_TRUE(has_text(text, "no race was found")) << "a file without tests is taken for a broken one";
}

TEST(JUnit, HostileNames_StayInsideOfAttributesAndText) {
  std::string text = write_report_junit(report_of({hostile_finding()}), {});
  EXPECT_FALSE(has_text(text, "<img"));
  EXPECT_FALSE(has_text(text, "]]>"));
  for (char c : text) EXPECT_TRUE(c == '\n' || c == '\t' || static_cast<unsigned char>(c) >= 0x20);
  EXPECT_FALSE(has_text(text, "\xff"));
}

TEST(GitHub, OneCommandPerFindingOnOneLine) {
  std::string text = write_report_github(report_of({sample_finding()}), {.root = "/src"});
  EXPECT_EQ(text, "::error file=bank.cpp,line=12,col=15,title=footrace%3A data race::data race on "
                  "account.balance: write in deposit, unordered with read in audit (observed once)%0A"
                  "write at bank.cpp:12:15, no locks%0Aread at bank.cpp:18:7, bank_mutex\n");
  text = write_report_github(report_of({hostile_finding()}), {});
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  EXPECT_TRUE(has_text(text, "%250A")) << "a percent sign in a name is not an escape";
}

TEST(Lines, AreThoseOfACompiler) {
  EXPECT_EQ(
      write_report_lines(report_of({sample_finding()}), {.root = "/src"}),
      "bank.cpp:12:15: error: data race on account.balance: write in deposit, unordered with read in audit "
      "[0c06f39dae44f327]\nbank.cpp:18:7: note: the other read, in audit; bank_mutex\n");
  std::string hostile = write_report_lines(report_of({hostile_finding()}), {});
  EXPECT_EQ(std::count(hostile.begin(), hostile.end(), '\n'), 2);
  EXPECT_FALSE(has_text(hostile, "\x1b"));
}

TEST(Html, HostileNames_NeverBecomeMarkup) {
  std::string page = write_report_html(report_of({hostile_finding()}), {});
  EXPECT_FALSE(has_text(page, "<img"));
  EXPECT_FALSE(has_text(page, "</pre>"));
  // The data and the script are the only elements of their kind, and the data holds no "<".
  std::size_t begin = page.find("id=\"data\">"), end = page.find("</script>", begin);
  ASSERT_NE(begin, std::string::npos);
  begin += 10;
  std::string data = page.substr(begin, end - begin);
  EXPECT_EQ(data.find('<'), std::string::npos);
  llvm::json::Value value = parse(data);
  EXPECT_TRUE(text_at(value, "findings.0.acc.0.expr").starts_with("</script><img"))
      << "and the name is whole";
  EXPECT_EQ(text_at(value, "excerpts.0.lines.4"), "</pre>");
}

TEST(Html, NeedsNothingButItself) {
  std::string page = write_report_html(report_of({sample_finding()}), {});
  EXPECT_TRUE(has_text(page, "default-src 'none'"));
  for (const char* reference : {"src=\"http", "href=\"http", "@import", "url(http", "fetch("})
    EXPECT_FALSE(has_text(page, reference)) << reference;
  for (const char* part : {"<html lang=\"en\">", "<main", "<nav aria-label", "name=\"viewport\"",
                           "prefers-color-scheme", "role=\"status\"", "class=\"skip\""})
    EXPECT_TRUE(has_text(page, part)) << part;
}

TEST(Html, MarksTheExpressionInItsLine) {
  Finding finding = sample_finding();
  finding.accesses[0].excerpt = {12, {"  \xc3\xa4\xc3\xa4; account.balance += amount;"}};
  finding.accesses[0].stack[0].location.column = 25; // of "+=", in bytes
  seal(finding);
  std::string page = write_report_html(report_of({finding}), {});
  EXPECT_TRUE(has_text(page, "\"mark\":[6,15]")) << "in characters, not in bytes";
}

TEST(Html, FiveThousandFindings_ShareTheirStacks) {
  std::vector<Finding> many;
  for (int i = 0; i < 5000; ++i) {
    Finding finding = sample_finding();
    finding.accesses[0].expression = "field" + std::to_string(i);
    seal(finding);
    many.push_back(finding);
  }
  std::string page = write_report_html(report_of(many), {});
  EXPECT_LT(page.size(), 12u << 20);
  std::size_t frames = page.find("\"stacks\"") - page.find("\"frames\"");
  EXPECT_LT(frames, 2000u);
}

TEST(Explanation, SaysWhyWhatProtectsAndThatTheFixIsASuggestion) {
  Report report = report_of({sample_finding()});
  std::string text = write_explanation(report, report.entries[0], {});
  EXPECT_TRUE(has_text(text, "C++20 [intro.races]"));
  EXPECT_TRUE(has_text(text, "The first access writes and the second reads, neither is atomic."));
  EXPECT_TRUE(has_text(text, "- read in audit (/src/bank.cpp:18:7): bank_mutex")) << text;
  EXPECT_TRUE(has_text(text, "Suggestion (not verified"));
  EXPECT_TRUE(has_text(text, "One of the threads has created the other."));
  Finding bare = sample_finding();
  bare.accesses.clear();
  seal(bare);
  Report empty = report_of({bare});
  EXPECT_TRUE(has_text(write_explanation(empty, empty.entries[0], {}), "there is nothing to explain"));
}

} // namespace
} // namespace footrace::findings
