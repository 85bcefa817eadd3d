// Calls (direct, indirect, virtual, recursive), memory with a short life, and every way out of a function.
#include "tests/placement/generator/body.h"

namespace footrace::placement_fuzz {

std::string Body::return_statement() { return returns_value ? cat("return ", value(1), ";") : "return;"; }

std::string Body::call_of(const Function& function) {
  switch (function.parameters) {
  case Parameters::Environment:
    return cat(function.name, "(e, ", random_.below(3), "u)");
  case Parameters::Ints:
  case Parameters::Bytes: {
    const char* type = function.parameters == Parameters::Ints ? "u32" : "u8";
    for (int i = 0; i < 8; i++) {
      if (views.empty()) break;
      const View& view = any_view();
      if (view.type != type || !view.scale.empty()) continue;
      return cat(function.name, "(", view.base, ", ", view.n, ", ", value(1), ")");
    }
    return "";
  }
  case Parameters::Node:
    return nodes.empty() ? "" : cat(function.name, "(", random_.pick(nodes), ", ", value(1), ")");
  }
  return "";
}

void Body::call() {
  const u64 dice = random_.below(10);
  if (dice == 0) return recursive_call();
  if (dice == 1) return indirect_call();
  if (dice == 2) return virtual_call();
  if (program_.functions.empty()) return assign_element();
  const Function& callee = random_.pick(program_.functions);
  if (callee.parameters == Parameters::Environment && !has_environment) return assign_element();
  if (callee.synchronises && (guarded_ || !may_synchronise)) return assign_element();
  if (callee.escapes && (locked_ || !(may_escape || shielded_))) return assign_element();
  if (!affordable(callee.cost)) return assign_element();
  const std::string text = call_of(callee);
  if (text.empty()) return assign_element();
  cost_ += weight_ * callee.cost;
  synchronises_ |= callee.synchronises;
  escapes_ |= callee.escapes && !shielded_;
  text_.line(random_.pick(values), " += ", text, ";");
}

// Through a table that the compiler cannot see through.
void Body::indirect_call() {
  if (nodes.empty() || !affordable(8)) return fields();
  cost_ += weight_ * 8;
  text_.line(random_.pick(values), " ^= ", prefixed("table"), "[", value(1), " % 2u](", random_.pick(nodes),
             ", ", value(1), ");");
}

void Body::virtual_call() {
  if (!cxx() || !has_environment || nodes.empty() || !affordable(8)) return indirect_call();
  cost_ += weight_ * 8;
  text_.line(random_.pick(values), " ^= e->shape->visit(", random_.pick(nodes), ", ", value(1), ");");
}

void Body::recursive_call() {
  // What the recursion does is not known yet: only where anything may happen, and once.
  if (recursion.empty() || guarded_ || locked_ || loops_ > 0) return assign_element();
  cost_ *= 2;
  synchronises_ |= may_synchronise;
  escapes_ |= may_escape;
  text_.line("if (depth > 0) ", random_.pick(values), " += ", recursion, ";");
  recursion.clear();
}

// An array in this frame that escapes to a callee, or one of variable length.
void Body::local_array() {
  if (blocks_ > 3 || !affordable(kNominal)) return assign_local();
  const std::string a = fresh("local");
  const bool variable = random_.chance(0.4) && !cxx();
  std::string n = cat(kLeast);
  if (variable) {
    n = fresh("length");
    text_.line("{");
    text_.line("const long ", n, " = ", kLeast, " + (long)(", random_.pick(values), " % 5u);");
    text_.line("u8 ", a, "[", n, "];");
  } else {
    text_.line("{");
    text_.line("u8 ", a, "[", n, "];");
  }
  text_.line("memset(", a, ", 1, (size_t)", n, ");");
  text_.line(prefixed("sees"), "(", a, ");");
  views.push_back({a, "u8", n, "", ""});
  block(unsigned(random_.between(1, 3)));
  views.pop_back();
  text_.line("}");
}

void Body::heap_block() {
  if (blocks_ > 3 || !affordable(kNominal)) return assign_element();
  const std::string a = fresh("heap"), n = fresh("size");
  const auto type = random_.one_of<const char*>({"u32", "u16", "u64", "u8"});
  text_.line("{");
  text_.line("const long ", n, " = ", kLeast, " + (long)(", random_.pick(values), " % 9u);");
  text_.line(type, " *", a, " = (", type, " *)malloc((size_t)", n, " * sizeof(", type, "));");
  text_.line("for (long i = 0; i < ", n, "; i++) ", a, "[i] = (", type, ")i;");
  views.push_back({a, type, n, "", ""});
  block(unsigned(random_.between(1, 3))); // a way out without the free only leaks
  views.pop_back();
  text_.line("free(", a, ");");
  text_.line("}");
  cost_ += weight_ * kNominal;
}

void Body::early_return() {
  if (locked_ || pinned_) return assign_local();
  text_.line("if (", condition(), ") ", return_statement());
}

// Leaves this frame, and perhaps others; in the last program of a unit, now and then the process.
void Body::escape() {
  if (!has_environment || locked_ || !(may_escape || shielded_)) return assign_element();
  if (program_.may_exit && loops_ == 0 && random_.chance(0.5)) {
    text_.line("if (", random_.pick(values), " % 64u == 63u) ",
               random_.chance(0.7) ? "exit(0);" : "_exit(0);");
    return;
  }
  escapes_ |= !shielded_;
  const std::string when = cat("if (", condition(), " && ", random_.pick(values), " % 3u == 0u) ");
  text_.line(when, cxx() ? cat("throw (u32)(", value(1), ");") : "longjmp(*e->jump, 1);");
}

void Body::protect() {
  if (!has_environment || blocks_ > 3 || locked_ || shielded_) return fields();
  const std::string kept = recursion;
  recursion.clear();
  shielded_ = true;
  if (cxx())
    protect_with_try();
  else
    protect_with_setjmp();
  shielded_ = false;
  recursion = kept;
}

void Body::protect_with_try() {
  text_.line("try {");
  block(unsigned(random_.between(1, 3)));
  const std::string caught = fresh("caught");
  text_.line("} catch (u32 ", caught, ") {");
  text_.line(random_.pick(values), " += ", caught, ";");
  text_.line("}");
}

void Body::protect_with_setjmp() {
  const std::string jump = fresh("jump"), outer = fresh("outer");
  const bool pinned = pinned_;
  pinned_ = true; // nothing may pass the end, where e->jump is restored
  text_.line("{");
  text_.line("jmp_buf ", jump, ", *", outer, " = e->jump;");
  text_.line("e->jump = &", jump, ";");
  text_.line("if (setjmp(", jump, ") == 0) {");
  block(unsigned(random_.between(1, 3)));
  text_.line("}");
  text_.line("e->jump = ", outer, ";");
  text_.line("}");
  pinned_ = pinned;
}

} // namespace footrace::placement_fuzz
