#include "scan/il/path.h"

#include <algorithm>

namespace footrace::scan::il {

Path Path::then(Step step) const {
  Path longer = *this;
  longer.steps.push_back(step);
  return longer;
}

static constexpr std::string_view kLoopMark = "#loop ";

Root variable(const std::string& name, unsigned id, bool in_loop) {
  return local(name + (in_loop ? std::string(kLoopMark) : "#") + std::to_string(id));
}

bool is_declared_in_loop(const Root& variable) {
  return variable.name.text().find(kLoopMark) != std::string::npos;
}

bool is_prefix(const Path& prefix, const Path& path) {
  return prefix.root == path.root && prefix.steps.size() <= path.steps.size() &&
         std::equal(prefix.steps.begin(), prefix.steps.end(), path.steps.begin());
}

bool is_proper_prefix(const Path& prefix, const Path& path) {
  return prefix.steps.size() < path.steps.size() && is_prefix(prefix, path);
}

bool has_deref_after(const Path& path, std::size_t from) {
  return std::any_of(path.steps.begin() + std::ptrdiff_t(std::min(from, path.steps.size())), path.steps.end(),
                     [](const Step& step) { return step.kind == StepKind::Deref; });
}

bool must_overlap(const Path& a, const Path& b) {
  if (is_prefix(a, b)) return !has_deref_after(b, a.steps.size());
  return is_prefix(b, a) && !has_deref_after(a, b.steps.size());
}

bool may_be_shared(const Path& path) {
  switch (path.root.kind) {
  case RootKind::Global:
    return true;
  case RootKind::Formal:
    return has_deref_after(path, 0);
  case RootKind::Local:
    return false;
  }
  return false;
}

bool has_element(const Path& path) {
  return std::any_of(path.steps.begin(), path.steps.end(),
                     [](const Step& step) { return step.kind == StepKind::Element; });
}

Path once_lock(const Path& flag) { return flag.dot("once"); }

// Pairing asks this of every lock of every two accesses: the names are made once.
bool is_once_lock(const Path& lock) {
  static const Step once = field("once");
  return !lock.steps.empty() && lock.steps.back() == once;
}

Path ticket_lock(const Path& atomic) { return atomic.dot("ticket"); }

bool is_ticket_lock(const Path& lock) {
  static const Step ticket = field("ticket");
  return !lock.steps.empty() && lock.steps.back() == ticket;
}

Path role_lock(Name role) { return ticket_lock(Path(global(role), {field("role")})); }

static bool is_role(const Path& lock, const Step& kind) {
  return lock.root.kind == RootKind::Global && lock.steps.size() == 2 && lock.steps.front() == kind &&
         is_ticket_lock(lock);
}

bool is_role_lock(const Path& lock) {
  static const Step role = field("role");
  return is_role(lock, role) || is_told_role_lock(lock) || is_first_use_lock(lock);
}

// "root.field.field."
static std::string name_of_variable(const Path& path) {
  std::string name = path.root.name.text() + ".";
  for (const Step& step : path.steps) {
    if (step.kind != StepKind::Field) break;
    name += step.field.text() + ".";
  }
  return name;
}

Path first_use_lock(const Path& variable) {
  return ticket_lock(Path(global(name_of_variable(variable)), {field("first use")}));
}

bool is_first_use_lock(const Path& lock) {
  static const Step first = field("first use");
  return is_role(lock, first);
}

bool is_first_use_of(const Path& lock, const Path& accessed) {
  if (!is_first_use_lock(lock) || accessed.root.kind != RootKind::Global) return false;
  const std::string &variable = lock.root.name.text(), used = name_of_variable(accessed);
  return variable.starts_with(used) || used.starts_with(variable);
}

Path told_role_lock(Name role) { return ticket_lock(Path(global(role), {field("told")})); }

bool is_told_role_lock(const Path& lock) {
  static const Step told = field("told");
  return is_role(lock, told);
}

const Path& only_thread() {
  static const Path role = role_lock("only thread");
  return role;
}

// A field of a derived class carries the name of that class: two classes of one hierarchy may use one name.
std::string qualifier(Name name) {
  const std::string& text = name.text();
  std::size_t end = 0;
  unsigned depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<') ++depth;
    if (text[i] == '>' && depth > 0) --depth;
    if (depth > 0) continue;
    if (text[i] == '(') break;
    if (text.compare(i, 2, "::") == 0) end = i;
  }
  return text.substr(0, end);
}

std::string_view field_name(Name field) {
  std::string_view text = field.text();
  std::size_t scope = text.rfind("::");
  return scope == std::string_view::npos ? text : text.substr(scope + 2);
}

std::string describe(const Path& path) {
  std::string text = path.root.name.text();
  text.resize(std::min(text.size(), text.find('#'))); // what tells variables of one name apart
  // "g of file.c" is one that others cannot name: "g.f of file.c".
  std::string where;
  if (std::size_t of = text.rfind(" of "); path.root.kind == RootKind::Global && of != std::string::npos) {
    where = text.substr(of);
    text.resize(of);
  }
  bool pointer = false; // a deref waits for the step after it
  auto settle = [&] {
    if (pointer) text = "(*" + text + ")";
    pointer = false;
  };
  for (const Step& step : path.steps) {
    switch (step.kind) {
    case StepKind::Deref:
      settle();
      pointer = true;
      break;
    case StepKind::Field:
      // An element of an array at a known place is a field, "[0]".
      if (step.field.text().starts_with("[")) {
        settle();
        text += step.field.text();
        break;
      }
      text += (pointer ? "->" : ".") + std::string(field_name(step.field));
      pointer = false;
      break;
    case StepKind::Content:
      settle();
      text += "[]";
      break;
    case StepKind::Element:
      settle();
      text += "[*]";
      break;
    }
  }
  return (pointer ? "*" + text : text) + where;
}

} // namespace footrace::scan::il
