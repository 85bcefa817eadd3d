#include "scan/il/threads.h"

#include "scan/il/passed_functions.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

namespace footrace::scan::il {

namespace {

constexpr std::string_view kFrameMark = "#of "; // between a variable's name and what tells it apart
constexpr unsigned kMaxCopies = 4;              // of a pointer from variable to variable

bool has_path(const Value& value) {
  return value.kind == ValueKind::Path || value.kind == ValueKind::Address;
}

bool has_fields_only(const Path& path, std::size_t from) {
  return std::all_of(path.steps.begin() + std::ptrdiff_t(std::min(from, path.steps.size())), path.steps.end(),
                     [](const Step& step) { return step.kind == StepKind::Field; });
}

bool starts_thread(const Statement& statement) {
  const auto* call = std::get_if<Call>(&statement.what);
  return call && (call->kind == CallKind::Spawn || (call->kind == CallKind::Hand && !call->to.empty()));
}

// Which blocks lead to which, by at least one edge.
std::vector<std::vector<bool>> reachable(const Method& method) {
  std::vector<std::vector<bool>> reach(method.blocks.size(), std::vector<bool>(method.blocks.size()));
  for (unsigned from = 0; from < method.blocks.size(); ++from) {
    std::vector<unsigned> work = {from};
    while (!work.empty()) {
      unsigned block = work.back();
      work.pop_back();
      for (unsigned next : method.blocks[block].successors)
        if (!reach[from][next]) {
          reach[from][next] = true;
          work.push_back(next);
        }
    }
  }
  return reach;
}

// One method that starts threads.
class Starter {
public:
  Starter(Method& method, const std::unordered_map<Name, Method>& bodies)
      : method_(method), bodies_(bodies) {}

  std::vector<Method> run() {
    find_settings();
    reach_ = reachable(method_);
    std::vector<Method> threads;
    for (unsigned block = 0; block < method_.blocks.size(); ++block)
      for (Statement& statement : method_.blocks[block].statements)
        if (starts_thread(statement))
          if (auto body = bodies_.find(std::get<Call>(statement.what).callee); body != bodies_.end())
            if (Method made = thread(statement, block, body->second); names_.insert(made.name).second)
              threads.push_back(std::move(made));
    for (Block& block : method_.blocks)
      for (Statement& statement : block.statements) rename(statement);
    return threads;
  }

private:
  struct Setting {
    Value value;
    unsigned block;
  };

  void find_settings() {
    for (unsigned block = 0; block < method_.blocks.size(); ++block)
      for (const Statement& statement : method_.blocks[block].statements) {
        if (const auto* assign = std::get_if<Assign>(&statement.what); assign && assign->target.is_variable())
          settings_[assign->target.root].push_back({assign->value, block});
        const auto* call = std::get_if<Call>(&statement.what);
        if (call && call->result) settings_[*call->result].push_back({nothing(), block});
        if (call && constructs_variable(*call)) made_[call->actuals[0].path.root].push_back(block);
      }
  }

  bool constructs_variable(const Call& call) const {
    auto callee = bodies_.find(call.callee);
    return callee != bodies_.end() && callee->second.constructor && !call.actuals.empty() &&
           call.actuals[0].kind == ValueKind::Address && call.actuals[0].path.is_variable();
  }

  Method thread(Statement& started, unsigned block, const Method& body) {
    auto& call = std::get<Call>(started.what);
    Method thread;
    thread.name = body.name.text() + " started by " + method_.name.text() + " at " +
                  std::to_string(started.at.line) + ":" + std::to_string(started.at.column);
    thread.shown = body.shown;
    thread.of_class = method_.of_class;
    thread.at = body.at;
    thread.formals = method_.formals;
    thread.has_this = method_.has_this;
    thread.visibility = Visibility::Private;
    thread.internal = true;
    thread.thread_entry = call.kind == CallKind::Spawn;
    thread.body = body.name;
    thread.ignored = body.ignored;
    Call made{std::nullopt, body.name, {}};
    for (const Value& actual : call.actuals) made.actuals.push_back(shared(actual, block));
    thread.blocks = {{{{started.at, std::move(made)}}, {}}};
    call.callee = thread.name;
    call.actuals.clear();
    for (unsigned i = 0; i < method_.formals.size(); ++i)
      call.actuals.push_back(value_of(Path(formal(i, method_.formals[i].name))));
    return thread;
  }

  // In a loop, a variable that is made there is another one each time.
  bool may_be_another(const Root& variable, unsigned block) const {
    auto again = [&](unsigned at) { return reach_[block][at] && reach_[at][block]; };
    auto settings = settings_.find(variable);
    auto made = made_.find(variable);
    return (settings != settings_.end() &&
            std::ranges::any_of(settings->second, [&](const Setting& s) { return again(s.block); })) ||
           (made != made_.end() && std::ranges::any_of(made->second, again));
  }

  // What the thread is given, in words that mean the same for others; nothing: that cannot be said.
  Value shared(const Value& given, unsigned block, unsigned copies = 0) {
    if (!has_path(given)) return nothing();
    const Path& path = given.path;
    if (path.root.kind == RootKind::Formal)
      return (path.is_variable() && !settings_.contains(path.root)) ||
                     (path.steps[0].kind == StepKind::Deref && has_fields_only(path, 1) &&
                      given.kind == ValueKind::Address)
                 ? given
                 : nothing();
    if (path.root.kind == RootKind::Global) return has_fields_only(path, 0) ? given : nothing();
    if (given.kind == ValueKind::Address && has_fields_only(path, 0)) {
      if (is_declared_in_loop(path.root) && may_be_another(path.root, block)) return nothing();
      frame_.insert(path.root);
      return address_of(Path(in_frame(path.root), path.steps));
    }
    auto settings = settings_.find(path.root);
    if (given.kind != ValueKind::Path || !path.is_variable() || settings == settings_.end() ||
        settings->second.size() != 1 || copies > kMaxCopies)
      return nothing();
    const Setting& only = settings->second.front();
    if (only.value.kind != ValueKind::New) return shared(only.value, block, copies + 1);
    if (may_be_another(path.root, block)) return nothing();
    allocated_.insert(path.root);
    return address_of(Path(in_frame(path.root)));
  }

  Root in_frame(const Root& variable) const {
    return global(variable.name.text() + std::string(kFrameMark) + method_.name.text());
  }

  void rename(Path& path) const {
    if (frame_.contains(path.root)) path.root = in_frame(path.root);
    if (!allocated_.contains(path.root) || path.is_variable() || path.steps[0].kind != StepKind::Deref)
      return;
    path = Path(in_frame(path.root), {path.steps.begin() + 1, path.steps.end()});
  }
  void rename(Value& value) const {
    if (value.kind == ValueKind::Path && value.path.is_variable() && allocated_.contains(value.path.root))
      value = address_of(Path(in_frame(value.path.root)));
    else
      rename(value.path);
  }
  void rename(Statement& statement) const {
    if (auto* assign = std::get_if<Assign>(&statement.what)) {
      rename(assign->target);
      rename(assign->value);
    } else if (auto* use = std::get_if<Use>(&statement.what)) {
      rename(use->path);
    } else if (auto* op = std::get_if<LockOp>(&statement.what)) {
      rename(op->lock);
    } else if (auto* leave = std::get_if<Return>(&statement.what)) {
      rename(leave->value);
    } else if (auto* call = std::get_if<Call>(&statement.what)) {
      for (Value& actual : call->actuals) rename(actual);
      for (Closure& closure : call->closures)
        for (Value& captured : closure.captured) rename(captured);
    }
  }

  Method& method_;
  const std::unordered_map<Name, Method>& bodies_; // without their statements
  std::map<Root, std::vector<Setting>> settings_;  // of variables
  std::map<Root, std::vector<unsigned>> made_;     // objects: the blocks of their constructors
  std::vector<std::vector<bool>> reach_;
  std::set<Name> names_;     // of the threads
  std::set<Root> frame_;     // variables that threads are given
  std::set<Root> allocated_; // variables that only ever point to one object, which threads are given
};

} // namespace

Name frame_of(const Root& root) {
  if (root.kind != RootKind::Global) return {};
  std::size_t mark = root.name.text().find(kFrameMark);
  return mark == std::string::npos ? Name() : Name(root.name.text().substr(mark + kFrameMark.size()));
}

void expose_threads(Program& program) {
  std::unordered_map<Name, Method> bodies;
  for (const Method& method : program.methods) {
    Method head = method;
    head.blocks.clear();
    bodies.emplace(method.name, std::move(head));
  }
  expose_passed_functions(program, bodies);
  std::vector<Method> threads;
  for (Method& method : program.methods) {
    bool starts = std::ranges::any_of(method.blocks, [](const Block& block) {
      return std::ranges::any_of(block.statements, starts_thread);
    });
    if (!starts) continue;
    for (Method& thread : Starter(method, bodies).run()) threads.push_back(std::move(thread));
  }
  std::ranges::move(threads, std::back_inserter(program.methods));
}

} // namespace footrace::scan::il
