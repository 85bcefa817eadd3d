#include "scan/domain/concurrency.h"

#include <algorithm>

namespace footrace::scan::domain {

namespace {

bool has_ancestor(const std::unordered_map<il::Name, const il::Class*>& classes, il::Name derived,
                  il::Name base, unsigned depth = 0) {
  if (derived == base) return true;
  auto entry = classes.find(derived);
  if (entry == classes.end() || depth > 64) return false;
  for (il::Name next : entry->second->bases)
    if (has_ancestor(classes, next, base, depth + 1)) return true;
  return false;
}

// The object that a pointer or reference leads to.
il::Path object_of(const il::Value& pointer) {
  return pointer.kind == il::ValueKind::Address ? pointer.path : pointer.path.then(il::deref());
}

bool has_path(const il::Value& value) {
  return value.kind == il::ValueKind::Path || value.kind == il::ValueKind::Address;
}

// A global, a variable of the caller, or a part of the object that the method is called on.
bool belongs_to_callee(const il::Value& actual, const il::Call& call) {
  if (!has_path(actual)) return false;
  if (actual.path.root.kind == il::RootKind::Global) return true;
  if (actual.kind == il::ValueKind::Address && actual.path.is_variable()) return true;
  return has_path(call.actuals[0]) && il::is_prefix(object_of(call.actuals[0]), actual.path);
}

} // namespace

Concurrency::Concurrency(const il::Program& program) {
  find_threads(program);
  for (const il::Class& a_class : program.classes) {
    classes_.emplace(a_class.name, &a_class);
    if (a_class.thread_safe || !a_class.guards.empty()) with_contract_.push_back(&a_class);
  }
  for (const il::Method& method : program.methods)
    for (const il::Block& block : method.blocks)
      for (const il::Statement& statement : block.statements)
        if (const auto* call = std::get_if<il::Call>(&statement.what))
          if (call->kind == il::CallKind::Plain && call->callee != method.name) add(method, *call);
}

void Concurrency::find_threads(const il::Program& program) {
  std::unordered_set<il::Name> known;
  for (const il::Method& method : program.methods) {
    known.insert(method.name);
    has_main_ |= method.startup && method.shown == il::Name("main");
  }
  for (const il::Method& method : program.methods)
    for (const il::Block& block : method.blocks)
      for (const il::Statement& statement : block.statements)
        if (const auto* call = std::get_if<il::Call>(&statement.what))
          has_unknown_thread_ |= call->kind == il::CallKind::Spawn && !known.contains(call->callee);
}

void Concurrency::add(const il::Method& caller, const il::Call& call) {
  called_.insert(call.callee);
  il::Path object =
      call.actuals.empty() || !has_path(call.actuals[0]) ? il::Path() : object_of(call.actuals[0]);
  bool own = caller.constructor && !object.steps.empty() && object.root == il::formal(0, "this") &&
             !il::has_deref_after(object, 1);
  // A constructor's call on `this` itself says nothing about who else calls.
  if (!own)
    called_afterwards_.insert(call.callee);
  else if (object.steps.size() > 1)
    called_in_making_.insert(call.callee);
  for (unsigned i = 1; i < call.actuals.size(); ++i)
    if (!belongs_to_callee(call.actuals[i], call)) foreign_.emplace(call.callee, i);
}

bool Concurrency::has_own_lock_in(const il::Method& method, unsigned formal) const {
  bool required = std::ranges::any_of(method.required, [&](const il::RequiredLock& lock) {
    return lock.lock.root.kind == il::RootKind::Formal && lock.lock.root.index == formal;
  });
  return !required && !foreign_.contains({method.name, formal});
}

bool Concurrency::may_be_entered(const il::Method& method) const {
  if (method.constructor || method.destructor || method.startup || !method.ignored.empty()) return false;
  if (method.thread_entry) return true;
  if (must_be_part_of_making(method)) return false;
  return method.visibility == il::Visibility::Public && !method.internal;
}

bool Concurrency::must_be_part_of_making(const il::Method& method) const {
  return called_in_making_.contains(method.name) && !called_afterwards_.contains(method.name);
}

bool Concurrency::has_no_caller(const il::Method& method) const { return !called_.contains(method.name); }

bool Concurrency::may_be_same_object(il::Name a, il::Name b) const {
  return !a.empty() && !b.empty() && (has_ancestor(classes_, a, b) || has_ancestor(classes_, b, a));
}

template <class Test> const il::Class* Concurrency::find_related(il::Name of_class, Test test) const {
  for (const il::Class* a_class : with_contract_)
    if (test(*a_class) && may_be_same_object(of_class, a_class->name)) return a_class;
  return nullptr;
}

std::string Concurrency::shared_by_contract(il::Name of_class) const {
  const il::Class* found = find_related(of_class, [](const il::Class& c) { return c.thread_safe; });
  return found ? "class " + found->name.text() + " is declared to be thread-safe" : "";
}

const il::Guard* Concurrency::guard_of(il::Name of_class, const il::Path& path) const {
  if (path.steps.size() < 2 || path.steps[0].kind != il::StepKind::Deref ||
      path.steps[1].kind != il::StepKind::Field)
    return nullptr;
  auto guards = [&](const il::Class& c) -> const il::Guard* {
    for (const il::Guard& guard : c.guards)
      if (guard.field == path.steps[1].field) return &guard;
    return nullptr;
  };
  const il::Class* found = find_related(of_class, [&](const il::Class& c) { return guards(c) != nullptr; });
  return found ? guards(*found) : nullptr;
}

} // namespace footrace::scan::domain
