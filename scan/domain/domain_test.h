// Programs and paths from text, for the tests of the domain.
#pragma once

#include "scan/domain/analysis.h"
#include "scan/domain/candidates.h"
#include "scan/il/text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace footrace::scan::domain {

inline il::Program program_of(std::string_view text) {
  il::ParseResult result = il::parse(text, "test.il");
  EXPECT_EQ(result.error, "");
  return result.program;
}

// In a method with the formals this, x, y.
inline il::Statement statement_of(const std::string& text) {
  return program_of("method m(this, x, y) { " + text + "; }").methods.at(0).blocks.at(0).statements.at(0);
}
inline il::Path path_of(const std::string& text) {
  return std::get<il::Use>(statement_of("use " + text).what).path;
}
inline Substitution actuals_of(const std::string& text) {
  return std::get<il::Call>(statement_of("call f(" + text + ")").what).actuals;
}
inline LockKey lock_of(const std::string& path, il::LockMode mode = il::LockMode::Exclusive) {
  return {path_of(path), mode};
}

// "read x->f", "write x->f locked": the accesses of one method's summary.
inline std::set<std::string> accesses_of(std::string_view text, const std::string& method,
                                         const Options& options = {}) {
  std::set<std::string> found;
  const il::Program program = program_of(text);
  const Summaries summaries = summarize(program, options);
  const il::Method& of = *std::ranges::find(program.methods, il::Name(method), &il::Method::name);
  for (const auto& [key, place] : summaries.at(method).accesses.all())
    found.insert(std::string(key.kind == AccessKind::Write ? "write " : "read ") + describe(key.path, of) +
                 (key.locks->has_locks() ? " locked" : ""));
  return found;
}

using Texts = std::set<std::string>;

} // namespace footrace::scan::domain
