#include "scan/domain/substitution.h"

namespace footrace::scan::domain {

namespace {

il::Path extended(const il::Path& base, const il::Path& path, std::size_t from) {
  il::Path result = base;
  result.steps.insert(result.steps.end(), path.steps.begin() + std::ptrdiff_t(from), path.steps.end());
  return result;
}

} // namespace

const il::Value& actual_of(const Substitution& actuals, const il::Root& root) {
  static const il::Value none;
  return root.index < actuals.size() ? actuals[root.index] : none;
}

std::optional<il::Path> substitute(const il::Path& path, const Substitution& actuals) {
  if (path.root.kind == il::RootKind::Global) return path;
  if (path.root.kind == il::RootKind::Local) return std::nullopt;
  const il::Value& actual = actual_of(actuals, path.root);
  switch (actual.kind) {
  case il::ValueKind::Path:
    return extended(actual.path, path, 0);
  case il::ValueKind::Address:
    // *&pi is pi; the pointer itself is a temporary of the caller.
    if (path.is_variable() || path.steps[0].kind != il::StepKind::Deref) return std::nullopt;
    return extended(actual.path, path, 1);
  case il::ValueKind::Nothing:
  case il::ValueKind::New:
    return std::nullopt;
  }
  return std::nullopt;
}

il::Value substitute(const il::Value& value, const Substitution& actuals) {
  if (value.kind == il::ValueKind::Nothing || value.kind == il::ValueKind::New) return value;
  bool whole_formal = value.kind == il::ValueKind::Path && value.path.is_variable() &&
                      value.path.root.kind == il::RootKind::Formal;
  if (whole_formal) return actual_of(actuals, value.path.root);
  std::optional<il::Path> path = substitute(value.path, actuals);
  return path ? il::Value{value.kind, *path} : il::nothing();
}

} // namespace footrace::scan::domain
