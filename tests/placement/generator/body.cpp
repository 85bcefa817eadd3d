#include "tests/placement/generator/body.h"

namespace footrace::placement_fuzz {

void Body::statements(unsigned count) {
  for (unsigned i = 0; i < count; i++) statement();
}

void Body::block(unsigned count) {
  blocks_++;
  statements(count);
  blocks_--;
}

void Body::statement() {
  cost_ += weight_;
  const u64 dice = random_.below(100);
  if (dice < 14) return assign_element();
  if (dice < 20) return assign_local();
  if (dice < 30) return fields();
  if (dice < 33) return union_access();
  if (dice < 36) return copy_object();
  if (dice < 40) return memory_function();
  if (dice < 47) return blocks_ < 4 ? branch() : assign_element();
  if (dice < 49) return blocks_ < 4 ? choice() : fields();
  if (dice < 65) return loop();
  if (dice < 73) return call();
  if (dice < 76) return local_array();
  if (dice < 79) return heap_block();
  if (dice < 81) return early_return();
  if (dice < 83) return escape();
  if (dice < 85) return protect();
  if (dice < 92) return lock_section();
  if (dice < 98) return atomic();
  return once();
}

std::string Body::element(const View& view, const std::string& index) const {
  if (view.scale.empty()) return cat(view.base, "[", index, "]");
  return cat(view.base, "[(", index, ") * ", view.scale, " + ", view.shift, "]");
}

std::string Body::index_of(const View& view) {
  std::vector<const Index*> fitting;
  for (const Index& index : indices_)
    if (index.n == view.n) fitting.push_back(&index);
  if (!fitting.empty() && random_.chance(0.75)) {
    const Index& index = *fitting[random_.below(fitting.size())];
    if (index.above > 0 && random_.chance(0.4))
      return cat(index.name, " + ", random_.between(1, u64(index.above)));
    if (index.below > 0 && random_.chance(0.4))
      return cat(index.name, " - ", random_.between(1, u64(index.below)));
    if (random_.chance(0.15)) return cat(view.n, " - 1 - ", index.name);
    return index.name;
  }
  if (random_.chance(0.5)) return number(kLeast);
  return cat("(long)(", random_.pick(values), " % (u32)", view.n, ")");
}

std::string Body::read(const View& view) {
  const std::string place = element(view, index_of(view));
  if (view.type == "double") return cat("(u32)(", place, " > 3.0)");
  return view.type == "u32" ? place : cat("(u32)", place);
}

std::string Body::value(int depth) {
  const u64 dice = random_.below(10);
  if (depth == 0 || dice < 2) return random_.chance(0.4) ? number(100) + "u" : random_.pick(values);
  if (dice < 5 && !views.empty()) return read(any_view());
  if (dice < 6 && !nodes.empty())
    return cat(random_.chance(0.2) ? "(u32)" : "", random_.pick(nodes), "->",
               random_.one_of<const char*>({"a", "b", "c[1]", "i", "k"}));
  if (dice < 7 && has_environment) return cat(prefixed("ro"), "[", random_.pick(values), " % 32u]");
  return cat("(", value(depth - 1), " ", random_.one_of<const char*>({"+", "-", "*", "^", "&", "|"}), " ",
             value(depth - 1), ")");
}

std::string Body::condition() {
  if (random_.chance(0.3)) return cat(value(1), " > ", value(1));
  return cat("(", value(1), " & ", random_.between(1, 7), "u) == ", random_.below(3), "u");
}

void Body::store(const std::string& place, const std::string& type) {
  const std::string what = value();
  if (type == "double")
    text_.line(place, random_.chance(0.3) ? " += " : " = ", "(double)(", what, " & 0xffffu);");
  else
    text_.line(place, random_.chance(0.3) ? " += " : " = ", "(", type, ")(", what, ");");
}

void Body::write(const View& view, const std::string& index) { store(element(view, index), view.type); }

void Body::assign_element() {
  if (views.empty()) return fields();
  const View& view = any_view();
  write(view, index_of(view));
}

void Body::assign_local() {
  text_.line(random_.pick(values), random_.chance(0.5) ? " += " : " = ", value(3), ";");
}

// Runs of fields, which coalesce.
void Body::fields() {
  if (nodes.empty()) return assign_local();
  const std::string node = random_.pick(nodes);
  const u64 count = random_.between(1, 4);
  for (u64 i = 0; i < count; i++) {
    const auto field = random_.one_of<const char*>({"a", "b", "c[0]", "c[3]", "d", "x", "i", "k"});
    const std::string place = cat(node, "->", field);
    if (random_.chance(0.35))
      text_.line(random_.pick(values), " += (u32)", place, ";");
    else if (field[0] == 'x')
      store(place, "double");
    else
      store(place, field[0] == 'b' ? "u16" : field[0] == 'c' ? "u8" : field[0] == 'd' ? "u64" : "u32");
  }
}

void Body::union_access() {
  if (nodes.empty()) return assign_element();
  const std::string node = random_.pick(nodes);
  text_.line(node, "->u.word = ", value(), ";");
  text_.line(random_.pick(values), " += ", node, "->u.byte[", random_.pick(values), " % 4u];");
  if (random_.chance(0.5)) text_.line(node, "->u.half[1] = (u16)", random_.pick(values), ";");
}

void Body::copy_object() {
  if (nodes.size() < 2) return fields();
  const std::string to = random_.pick(nodes), from = random_.pick(nodes);
  const std::string kept = fresh("kept");
  // Lists stay what they are.
  text_.line("if (", to, " != ", from, ") {");
  text_.line("struct ", prefixed("Node"), "* ", kept, " = ", to, "->next;");
  text_.line("*", to, " = *", from, ";");
  text_.line(to, "->next = ", kept, ";");
  text_.line("}");
}

const View* Body::plain_view() {
  for (int i = 0; i < 4 && !views.empty(); i++)
    if (const View& view = any_view(); view.scale.empty()) return &view;
  return nullptr;
}

void Body::memory_function() {
  const View* view = plain_view();
  if (!view) return assign_local();
  const std::string size = cat("sizeof(", view->type, ")");
  const std::string count = random_.chance(0.5) ? cat(random_.between(1, kLeast / 2), " * ", size)
                                                : cat("(size_t)(", view->n, " / 2) * ", size);
  cost_ += weight_ * 2;
  switch (random_.below(3)) {
  case 0:
    return text_.line("memset(", view->base, ", ", random_.chance(0.5) ? "0" : "7", ", ", count, ");");
  case 1:
    return text_.line("memcpy(", view->base, ", ", view->base, " + ", view->n, " / 2, ", count, ");");
  default:
    return text_.line("memmove(", view->base, " + 1, ", view->base, ", ", count, ");");
  }
}

void Body::branch() {
  text_.line("if (", condition(), ") {");
  const double outer = weight_;
  weight_ *= 0.6;
  block(unsigned(random_.between(1, 3)));
  if (random_.chance(0.5)) {
    text_.line("} else {");
    block(unsigned(random_.between(1, 2)));
  }
  weight_ = outer;
  text_.line("}");
}

void Body::choice() {
  text_.line("switch (", value(1), " % 4u) {");
  const double outer = weight_;
  weight_ *= 0.4;
  for (int i = 0; i < 3; i++) {
    text_.line("case ", i, ": {");
    const int loops = loops_;
    loops_ = 0; // a break would leave the switch
    block(1);
    loops_ = loops;
    text_.line("}");
    if (random_.chance(0.7)) text_.line("break;");
  }
  weight_ = outer;
  text_.line("}");
}

} // namespace footrace::placement_fuzz
