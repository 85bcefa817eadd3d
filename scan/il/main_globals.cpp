#include "scan/il/main_globals.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace footrace::scan::il {

namespace {

template <class Visit> void each_call(const Method& method, Visit visit) {
  for (const Block& block : method.blocks)
    for (const Statement& statement : block.statements)
      if (const auto* call = std::get_if<Call>(&statement.what)) visit(*call);
}

// Of a statement, as it is or to be changed.
template <class Visit> struct Roots {
  Visit& visit;
  void operator()(auto& statement)
    requires requires { statement.target; }
  {
    visit(statement.target.root), visit(statement.value.path.root);
  }
  void operator()(auto& use)
    requires requires { use.path; }
  {
    visit(use.path.root);
  }
  void operator()(auto& op)
    requires requires { op.lock; }
  {
    visit(op.lock.root);
  }
  void operator()(auto& call)
    requires requires { call.actuals; }
  {
    for (auto& actual : call.actuals) visit(actual.path.root);
    for (auto& closure : call.closures)
      for (auto& captured : closure.captured) visit(captured.path.root);
  }
  void operator()(auto& leave)
    requires std::is_same_v<std::remove_cvref_t<decltype(leave)>, Return>
  {
    visit(leave.value.path.root);
  }
};

template <class AMethod, class Visit> void each_global(AMethod& method, Visit visit) {
  auto of_globals = [&](auto& root) {
    if (root.kind == RootKind::Global) visit(root);
  };
  for (auto& required : method.required) of_globals(required.lock.root);
  for (auto& block : method.blocks)
    for (auto& statement : block.statements)
      std::visit(Roots<decltype(of_globals)>{of_globals}, statement.what);
}

// Where something other than the main thread may begin: threads, what is given to somebody who may have threads, and what
// nothing in the program mentions.
std::vector<Name> beginnings(const Program& program) {
  std::unordered_set<Name> mentioned, given;
  for (const Method& method : program.methods)
    each_call(method, [&](const Call& call) {
      if (call.callee != method.name) mentioned.insert(call.callee);
      for (const Closure& closure : call.closures) mentioned.insert(closure.function);
      if (call.kind == CallKind::Spawn || (call.kind == CallKind::Hand && !call.to.empty()))
        given.insert(call.callee);
    });
  std::vector<Name> found;
  for (const Method& method : program.methods) {
    bool for_others = !mentioned.contains(method.name) && !method.internal && !method.startup &&
                      method.shown != Name("main");
    if (method.thread_entry || given.contains(method.name) || for_others) found.push_back(method.name);
  }
  return found;
}

std::unordered_set<Name> reached_by_others(const Program& program) {
  std::unordered_map<Name, const Method*> methods;
  for (const Method& method : program.methods) methods.emplace(method.name, &method);
  std::vector<Name> work = beginnings(program);
  std::unordered_set<Name> reached, globals;
  while (!work.empty()) {
    auto method = methods.find(work.back());
    work.pop_back();
    if (method == methods.end() || !reached.insert(method->first).second) continue;
    each_global(*method->second, [&](const Root& root) { globals.insert(root.name); });
    each_call(*method->second, [&](const Call& call) {
      work.push_back(call.callee);
      for (const Closure& closure : call.closures) work.push_back(closure.function);
    });
  }
  return globals;
}

} // namespace

bool has_all_threads(const Program& program) {
  std::unordered_set<Name> methods;
  bool has_main = false;
  for (const Method& method : program.methods) {
    methods.insert(method.name);
    has_main |= method.of_class.empty() && method.shown == Name("main");
  }
  return has_main && std::ranges::none_of(program.methods, [&](const Method& method) {
           bool unknown = false;
           each_call(method, [&](const Call& call) {
             unknown |= call.kind == CallKind::Spawn && !methods.contains(call.callee);
           });
           return unknown;
         });
}

void set_main_globals_apart(Program& program) {
  if (!has_all_threads(program)) return;
  const std::unordered_set<Name> shared = reached_by_others(program);
  std::unordered_map<Name, Name> names;
  for (Method& method : program.methods)
    each_global(method, [&](Root& root) {
      if (shared.contains(root.name)) return;
      auto [name, fresh] = names.try_emplace(root.name);
      if (fresh) name->second = of_main_thread(root.name);
      root.name = name->second;
    });
}

} // namespace footrace::scan::il
