#include "scan/il/text.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <string_view>

namespace footrace::scan::il {

namespace {

// What the parser takes for itself where a name may stand.
bool is_word_of_the_language(std::string_view text) {
  static constexpr std::string_view words[] = {
      "assume",   "at",      "base",    "by",        "call",   "class",   "constructor", "destructor",
      "dispatch", "else",    "goto",    "guard",     "hand",   "if",      "ignored",     "in",
      "internal", "invoke",  "is",      "join",      "label",  "lock",    "locks",       "method",
      "new",      "pointee", "private", "protected", "public", "receive", "requires",    "return",
      "safe",     "send",    "shared",  "shown",     "slot",   "spawn",   "startup",     "thread",
      "to",       "try",     "unlock",  "use",       "wait",   "while",   "with"};
  return std::ranges::find(words, text) != std::end(words);
}

bool must_quote(const std::string& text) {
  if (is_word_of_the_language(text)) return true;
  if (text.empty() || std::isdigit(static_cast<unsigned char>(text[0]))) return true;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned char c = static_cast<unsigned char>(text[i]);
    if (std::isalnum(c) || c == '_' || c == '~' || c == '%') continue;
    if (c == ':' && i + 2 < text.size() && text[i + 1] == ':') {
      ++i;
      continue;
    }
    return true;
  }
  return false;
}

std::string print(Name name) {
  const std::string& text = name.text();
  if (!must_quote(text)) return text;
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

std::string print(const Location& at) {
  std::string file = at.file.empty() ? "" : print(at.file);
  return file + ":" + std::to_string(at.line) + ":" + std::to_string(at.column);
}

std::string print(const Value& value) {
  switch (value.kind) {
  case ValueKind::Nothing:
    return "?";
  case ValueKind::New:
    return "new";
  case ValueKind::Path:
    return print(value.path);
  case ValueKind::Address:
    return "&" + print(value.path);
  }
  return "?";
}

const char* mode_text(LockMode mode) { return mode == LockMode::Shared ? "shared " : ""; }

std::string print(const RequiredLock& required) { return mode_text(required.mode) + print(required.lock); }

std::string text_of(const Assign& assign) { return print(assign.target) + " := " + print(assign.value); }

std::string text_of(const Use& use) { return "use " + print(use.path); }

std::string text_of(const LockOp& op) {
  const char* verb = op.action == LockAction::Acquire   ? "lock "
                     : op.action == LockAction::Release ? "unlock "
                                                        : "assume ";
  return std::string(verb) + mode_text(op.mode) + (op.attempt ? "try " : "") + print(op.lock);
}

std::string text_of(Name function, const std::vector<Value>& actuals) {
  std::string text = print(function) + "(";
  for (std::size_t i = 0; i < actuals.size(); ++i) text += (i ? ", " : "") + print(actuals[i]);
  return text + ")";
}

std::string text_of(const Call& call) {
  std::string text = call.result ? print(Path(*call.result)) + " := " : "";
  text += std::string(call_words[std::size_t(call.kind)]) + " " + text_of(call.callee, call.actuals);
  if (!call.to.empty()) text += " to " + print(call.to);
  if (call.anew) text += " anew";
  for (const Closure& closure : call.closures)
    text += " with " + std::to_string(closure.formal) + " is " + text_of(closure.function, closure.captured);
  return text;
}

std::string text_of(const Return& leave) { return "return " + print(leave.value); }

std::string attributes(const Method& method) {
  std::string text;
  auto flag = [&](bool set, const char* word) {
    if (set) text += std::string(" ") + word;
  };
  if (!method.of_class.empty()) text += " in " + print(method.of_class);
  if (!method.shown.empty()) text += " shown " + print(method.shown);
  flag(method.visibility == Visibility::Protected, "protected");
  flag(method.visibility == Visibility::Private, "private");
  flag(method.constructor, "constructor");
  flag(method.destructor, "destructor");
  flag(method.internal, "internal");
  flag(method.thread_entry, "thread");
  flag(method.startup, "startup");
  for (const RequiredLock& required : method.required) text += " requires " + print(required);
  if (!method.ignored.empty()) text += " ignored " + print(method.ignored);
  return text + " at " + print(method.at);
}

std::string print(const Class& a_class) {
  std::string text = "class " + print(a_class.name);
  for (Name base : a_class.bases) text += " base " + print(base);
  if (a_class.has_lock) text += " locks";
  if (a_class.thread_safe) text += " safe";
  for (const Guard& guard : a_class.guards)
    text += std::string(" guard ") + (guard.pointee ? "pointee " : "") + print(guard.field) + " by " +
            print(guard.by);
  for (Name lock : a_class.optional_locks) text += " optional " + print(lock);
  if (!a_class.ignored.empty()) text += " ignored " + print(a_class.ignored);
  return text + ";\n";
}

} // namespace

std::string print(const Path& path) {
  std::string text = path.root.kind == RootKind::Global ? "@" : "";
  text += print(path.root.name);
  for (std::size_t i = 0; i < path.steps.size(); ++i) {
    const Step& step = path.steps[i];
    switch (step.kind) {
    case StepKind::Deref:
      if (i + 1 < path.steps.size() && path.steps[i + 1].kind == StepKind::Field)
        text += "->" + print(path.steps[++i].field);
      else
        text += "^";
      break;
    case StepKind::Field:
      text += "." + print(step.field);
      break;
    case StepKind::Content:
      text += "[]";
      break;
    case StepKind::Element:
      text += "[*]";
      break;
    }
  }
  return text;
}

std::string print(const Statement& statement) {
  return std::visit([](const auto& what) { return text_of(what); }, statement.what);
}

std::string print(const Method& method) {
  std::string text = "method " + print(method.name) + "(";
  for (std::size_t i = 0; i < method.formals.size(); ++i) {
    text += (i ? ", " : "") + print(method.formals[i].name);
    if (!method.formals[i].type.empty()) text += ": " + print(method.formals[i].type);
  }
  text += ")" + attributes(method) + " {\n";
  for (std::size_t b = 0; b < method.blocks.size(); ++b) {
    const Block& block = method.blocks[b];
    text += "label " + std::to_string(b) + ":\n";
    for (const Statement& statement : block.statements)
      text += "  " + print(statement) + " at " + print(statement.at) + ";\n";
    text += "  goto";
    for (std::size_t i = 0; i < block.successors.size(); ++i)
      text += (i ? ", " : " ") + std::to_string(block.successors[i]);
    text += ";\n";
  }
  return text + "}\n";
}

std::string print(const Program& program) {
  std::string text;
  for (const Class& a_class : program.classes) text += print(a_class);
  for (const Slot& slot : program.slots)
    text += "slot " + print(slot.name) + " is " + print(slot.target) +
            (slot.formal ? " with " + std::to_string(*slot.formal) : "") + ";\n";
  for (const Method& method : program.methods) text += print(method);
  return text;
}

} // namespace footrace::scan::il
