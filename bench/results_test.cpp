#include "bench/results.h"

#include "bench/catalog.h"
#include "bench/table.h"
#include "bench/writers.h"

#include "llvm/Support/JSON.h"
#include <gtest/gtest.h>

namespace footrace::bench {
namespace {

Row row(const char* program, Group group, const char* preset, double cpu, double peak) {
  Row r;
  r.program = program;
  r.group = group;
  r.preset = preset;
  r.threads = 2;
  r.cpu = r.wall = cpu;
  r.peak = peak;
  return r;
}

std::vector<Row> two_programs() {
  std::vector<Row> a = {row("a", Group::Array, "base", 1, 10), row("a", Group::Array, "tsan", 2, 30)};
  std::vector<Row> b = {row("b", Group::Pointer, "base", 2, 10), row("b", Group::Pointer, "tsan", 16, 50)};
  relate_to_base(a);
  relate_to_base(b);
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

const Mean* find_mean(const std::vector<Mean>& means, const std::string& group) {
  for (const Mean& mean : means)
    if (mean.group == group) return &mean;
  return nullptr;
}

TEST(Results, Means_AreGeometricAndByGroup) {
  std::vector<Mean> means = means_of(two_programs());
  EXPECT_DOUBLE_EQ(find_mean(means, "all")->slowdown_cpu, 4);
  EXPECT_DOUBLE_EQ(find_mean(means, "array")->slowdown_cpu, 2);
  EXPECT_DOUBLE_EQ(find_mean(means, "pointer")->slowdown_cpu, 8);
  EXPECT_DOUBLE_EQ(find_mean(means, "array")->memory_ratio, 3);
}

TEST(Results, Means_SayHowManyTimesFasterThanTsan) {
  std::vector<Row> rows = {row("a", Group::Array, "base", 1, 10), row("a", Group::Array, "tsan", 6, 10),
                           row("a", Group::Array, "bigfoot", 2, 10)};
  relate_to_base(rows);
  std::vector<Mean> means = means_of(rows);
  ASSERT_EQ(means[0].preset, "tsan");
  EXPECT_EQ(means[0].times_tsan, std::nullopt);
  ASSERT_EQ(means[1].preset, "bigfoot");
  EXPECT_DOUBLE_EQ(*means[1].times_tsan, 3);
}

TEST(Results, FailedRow_IsInNoMean) {
  std::vector<Row> rows = two_programs();
  rows[3].failures.push_back("wrong checksum");
  std::vector<Mean> means = means_of(rows);
  EXPECT_DOUBLE_EQ(find_mean(means, "all")->slowdown_cpu, 2);
  EXPECT_EQ(find_mean(means, "pointer"), nullptr);
}

// Under tsan the worst style is 1.5 times the best, under bigfoot 4 times; one style failed there.
Report idioms_of_one_kernel() {
  Report report;
  report.options.what = What::Idioms;
  report.tools = {"base", "tsan", "bigfoot"};
  auto add = [&](const char* style, double tsan, double bigfoot) {
    const std::string name = std::string("sor-") + style;
    std::vector<Row> rows = {row(name.c_str(), Group::Idiom, "base", 1, 1),
                             row(name.c_str(), Group::Idiom, "tsan", tsan, 1),
                             row(name.c_str(), Group::Idiom, "bigfoot", bigfoot, 1)};
    for (Row& one : rows) one.kernel = "sor", one.style = style;
    relate_to_base(rows);
    report.rows.insert(report.rows.end(), rows.begin(), rows.end());
  };
  add("nested", 4, 8);
  add("span", 6, 2);
  add("lambda", 5, 100);
  report.rows.back().failures.push_back("wrong checksum");
  report.kernels = kernels_of(report.rows);
  return report;
}

TEST(Results, Kernels_HaveTheirBestAndWorstStyleOfEachTool) {
  const std::vector<Kernel> kernels = idioms_of_one_kernel().kernels;
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].preset, "tsan");
  EXPECT_EQ(kernels[0].styles, 3u);
  EXPECT_DOUBLE_EQ(kernels[0].worst_per_best(), 1.5);
  EXPECT_EQ(kernels[1].styles, 2u);
  EXPECT_EQ(kernels[1].best_style, "span");
  EXPECT_EQ(kernels[1].worst_style, "nested");
  EXPECT_DOUBLE_EQ(kernels[1].worst_per_best(), 4);
}

TEST(Results, ProgramsThatAreNoIdioms_AreInNoKernel) { EXPECT_TRUE(kernels_of(two_programs()).empty()); }

TEST(Results, IdiomCells_EndEachKernelWithWorstPerBest) {
  const auto cells = idiom_cells(idioms_of_one_kernel(), 2);
  using Cells = std::vector<std::string>;
  ASSERT_EQ(cells.size(), 6u);
  EXPECT_EQ(cells[0], (Cells{"kernel", "style", "base, CPU s", "tsan", "bigfoot"}));
  EXPECT_EQ(cells[1], (Cells{"sor", "nested", "1.00", "4.00", "8.00"}));
  EXPECT_EQ(cells[3], (Cells{"", "lambda", "1.00", "5.00", "failed"}));
  EXPECT_EQ(cells[4], (Cells{"", "worst / best", "", "1.50", "4.00"}));
  EXPECT_EQ(cells[5], (Cells{"all kernels", "worst / best", "", "1.50", "4.00"}));
  EXPECT_TRUE(idiom_cells(Report(), 2).empty());
}

TEST(Results, Idioms_AreInEveryKindOfFile) {
  const Report report = idioms_of_one_kernel();
  const std::string page = with_section("", report);
  EXPECT_NE(page.find("<!-- begin idioms -->"), std::string::npos);
  EXPECT_NE(page.find("|  | worst / best |  | 1.50 | 4.00 |"), std::string::npos) << page;
  EXPECT_NE(as_json(report).find("\"worst_per_best\": 4"), std::string::npos);
  EXPECT_NE(as_html(report).find("worst / best"), std::string::npos);
}

std::vector<Point> curve(const char* preset, double first, double last) {
  return {{"locks", "step", preset, 2, first, 1, false}, {"locks", "step", preset, 64, last, 1, false}};
}

TEST(Results, Growth_IsFlaggedOnlyBeyondTheProgramsOwn) {
  std::vector<Point> points = curve("base", 10, 20);
  for (Point p : curve("tsan", 100, 250)) points.push_back(p);
  for (Point p : curve("fasttrack", 100, 400)) points.push_back(p);
  judge_growth(points);
  EXPECT_FALSE(points[1].superlinear); // base is what others are compared with
  EXPECT_FALSE(points[3].superlinear); // 2.5 / 2
  EXPECT_TRUE(points[5].superlinear);  // 4 / 2
  EXPECT_DOUBLE_EQ(points[5].growth, 4);
}

TEST(Results, Json_HasTheDocumentedFields) {
  Report report;
  report.options.command = "x";
  report.rows = two_programs();
  report.rows[3].failures.push_back("bytes \"\n");
  auto parsed = llvm::json::parse(as_json(report));
  ASSERT_TRUE(bool(parsed));
  const llvm::json::Array* rows = parsed->getAsObject()->getArray("rows");
  ASSERT_EQ(rows->size(), 4u);
  for (const char* field :
       {"program", "preset", "slowdown_cpu", "slowdown_wall", "memory_ratio", "check_ratio"})
    EXPECT_TRUE((*rows)[1].getAsObject()->get(field)) << field;
}

TEST(Results, Section_ReplacesItselfAndLeavesOthers) {
  Report programs, scaling;
  programs.options.command = "alpha";
  scaling.options.what = What::Scaling;
  scaling.options.command = "other";
  std::string page = with_section(with_section("", programs), scaling);
  programs.options.command = "omega";
  page = with_section(page, programs);
  EXPECT_EQ(page.find("alpha"), std::string::npos);
  EXPECT_NE(page.find("omega"), std::string::npos);
  EXPECT_NE(page.find("other"), std::string::npos);
}

TEST(Results, Section_NamesFilesAsTheyAreInTheCheckout) {
  Report report;
  report.skipped = {"lbzip2: cannot be had (see " + checkout() + "/build/download.log)"};
  const std::string page = with_section("", report);
  EXPECT_NE(page.find("(see build/download.log)"), std::string::npos) << page;
}

TEST(Results, Figures_KeepThreeDigitsOrSo) {
  EXPECT_EQ(figure(0.034), "0.03");
  EXPECT_EQ(figure(3.417), "3.42");
  EXPECT_EQ(figure(148.2), "148");
  EXPECT_EQ(figure(2.8e-7), "2.8e-07");
  EXPECT_EQ(figure(1234567), "1.23M");
  EXPECT_EQ(figure(std::nullopt), "-");
}

} // namespace
} // namespace footrace::bench
