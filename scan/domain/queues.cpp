#include "scan/domain/queues.h"

#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace footrace::scan::domain {

namespace {

template <class Visit> void each_call(const il::Method& method, Visit visit) {
  for (const il::Block& block : method.blocks)
    for (const il::Statement& statement : block.statements)
      if (const auto* call = std::get_if<il::Call>(&statement.what)) visit(*call);
}

} // namespace

std::set<std::pair<il::Name, il::Name>> classes_used_by_threads(const il::Program& program) {
  std::unordered_map<il::Name, const il::Method*> methods;
  std::vector<const il::Method*> work;
  std::unordered_set<const il::Method*> seen; // run by threads, each in its own class
  for (const il::Method& method : program.methods) methods.emplace(method.name, &method);
  auto run = [&](il::Name name) {
    auto method = methods.find(name);
    if (method != methods.end() && seen.insert(method->second).second) work.push_back(method->second);
  };
  for (const il::Method& method : program.methods)
    each_call(method, [&](const il::Call& call) {
      if (call.kind == il::CallKind::Spawn && !method.of_class.empty()) run(call.callee);
    });
  std::set<std::pair<il::Name, il::Name>> used;
  while (!work.empty()) {
    const il::Method& method = *work.back();
    work.pop_back();
    each_call(method, [&](const il::Call& call) {
      auto callee = methods.find(call.callee);
      if (call.kind != il::CallKind::Plain || callee == methods.end()) return;
      il::Name of_class = callee->second->of_class;
      if (of_class == method.of_class)
        run(call.callee);
      else if (!of_class.empty())
        used.emplace(method.of_class, of_class);
    });
  }
  return used;
}

} // namespace footrace::scan::domain
