// Loops of every kind that the placement treats differently: counted, strided, downward, by pointers, multi-exit, on data, nested,
// triangular, over lists, and those that may run zero times.
#include "tests/placement/generator/body.h"

namespace footrace::placement_fuzz {

void Body::loop() {
  if (views.empty() || !affordable(kNominal) || loops_ >= 3) return assign_element();
  const bool outermost = loops_ == 0;
  const std::string outer_exit = loop_exit_;
  const bool outer_used = used_exit_;
  if (outermost) {
    loop_exit_ = fresh("out");
    used_exit_ = false;
  }
  const View view = any_view();
  loops_++;
  blocks_++;
  switch (random_.below(20)) {
  case 0:
  case 1:
  case 2:
    counted_loop(view);
    break;
  case 3:
  case 4:
    strided_loop(view);
    break;
  case 5:
    downward_loop(view);
    break;
  case 6:
  case 7:
    pointer_loop(view);
    break;
  case 8:
    search_loop(view);
    break;
  case 9:
    halves_loop(view);
    break;
  case 10:
    window_loop(view);
    break;
  case 11:
    neighbours_loop(view);
    break;
  case 12:
    meeting_loop(view);
    break;
  case 13:
    copying_loop(view);
    break;
  case 14:
    do_while_loop(view);
    break;
  case 15:
    matrix_loop();
    break;
  case 16:
    list_loop();
    break;
  case 17:
  case 18:
    sweeps(view);
    break;
  default:
    short_loop();
  }
  blocks_--;
  loops_--;
  if (outermost) {
    if (used_exit_) text_.line(loop_exit_, ":;");
    loop_exit_ = outer_exit;
    used_exit_ = outer_used;
  }
}

void Body::loop_body(const Index& index, const View& view) {
  const double outer = weight_;
  weight_ *= kNominal;
  indices_.push_back(index);
  if (random_.chance(0.6)) write(view, index_of(view));
  if (random_.chance(0.3)) exits();
  statements(unsigned(random_.between(0, 2)));
  if (random_.chance(0.4)) text_.line(random_.pick(values), " += ", read(view), ";");
  indices_.pop_back();
  cost_ += weight_;
  weight_ = outer;
}

void Body::exits() {
  const std::string when = cat("if (", condition(), ") ");
  switch (random_.below(4)) {
  case 0:
    return text_.line(when, "break;");
  case 1:
    return text_.line(when, "continue;");
  case 2:
    if (locked_ || pinned_) break;
    return text_.line(when, return_statement());
  default:
    if (locked_ || pinned_) break;
    used_exit_ = true;
    return text_.line(when, "goto ", loop_exit_, ";");
  }
  text_.line(when, "break;");
}

void Body::counted_loop(const View& view) {
  const std::string i = fresh("i");
  const auto type = random_.one_of<const char*>({"long", "long", "int", "u32", "size_t"});
  text_.line("for (", type, " ", i, " = 0; ", i, " < (", type, ")", view.n, "; ", i, "++) {");
  loop_body({i, view.n, 0, 0}, view);
  text_.line("}");
}

void Body::strided_loop(const View& view) {
  const std::string i = fresh("i");
  std::string step = cat(random_.between(2, 4));
  if (random_.chance(0.3)) {
    step = fresh("step");
    text_.line("const long ", step, " = 1 + (long)(", random_.pick(values), " % 3u);");
  }
  text_.line("for (long ", i, " = ", random_.below(3), "; ", i, " < ", view.n, "; ", i, " += ", step, ") {");
  loop_body({i, view.n, 0, 0}, view);
  text_.line("}");
}

void Body::downward_loop(const View& view) {
  const std::string i = fresh("i");
  if (random_.chance(0.5))
    text_.line("for (long ", i, " = ", view.n, " - 1; ", i, " >= 0; ", i, "--) {");
  else
    text_.line("for (size_t ", i, " = (size_t)", view.n, "; ", i, "-- > 0;) {");
  loop_body({i, view.n, 0, 0}, view);
  text_.line("}");
}

void Body::pointer_loop(const View& view) {
  if (!view.scale.empty()) return strided_loop(view);
  const std::string p = fresh("p"), end = fresh("end");
  text_.line("for (", view.type, " *", p, " = ", view.base, ", *", end, " = ", view.base, " + ", view.n, "; ",
             p, " != ", end, "; ", p, "++) {");
  const double outer = weight_;
  weight_ *= kNominal;
  store("*" + p, view.type);
  if (random_.chance(0.3)) exits();
  statements(unsigned(random_.between(0, 1)));
  text_.line(random_.pick(values), " += (u32)*", p, ";");
  weight_ = outer;
  text_.line("}");
}

// Ends when the data say so.
void Body::search_loop(const View& view) {
  const std::string i = fresh("i");
  text_.line("long ", i, " = 0;");
  const std::string found =
      view.type == "double" ? cat(element(view, i), " > 9.0") : cat(element(view, i), " % 16 == 5");
  text_.line("while (", i, " < ", view.n, " && !(", found, ")) {");
  const double outer = weight_;
  weight_ *= kNominal;
  if (random_.chance(0.6)) store(element(view, i), view.type);
  text_.line(i, "++;");
  if (random_.chance(0.3)) exits();
  weight_ = outer;
  text_.line("}");
}

void Body::halves_loop(const View& view) {
  const std::string i = fresh("i");
  text_.line("for (long ", i, " = 0; ", i, " < ", view.n, " / 2; ", i, "++) {");
  const double outer = weight_;
  weight_ *= kNominal / 2;
  store(element(view, cat("2 * ", i)), view.type);
  if (random_.chance(0.5)) store(element(view, cat("2 * ", i, " + 1")), view.type);
  if (random_.chance(0.3)) exits();
  statements(unsigned(random_.between(0, 1)));
  weight_ = outer;
  text_.line("}");
}

// From lo to hi, which are only known at run time; possibly empty.
void Body::window_loop(const View& view) {
  const std::string i = fresh("i"), lo = fresh("lo"), hi = fresh("hi");
  text_.line("const long ", lo, " = (long)(", value(1), " % (u32)", view.n, ");");
  text_.line("const long ", hi, " = ", lo, " + (long)(", value(1), " % (u32)(", view.n, " - ", lo, "));");
  text_.line("for (long ", i, " = ", lo, "; ", i, " < ", hi, "; ", i, "++) {");
  loop_body({i, view.n, 0, 1}, view);
  text_.line("}");
}

void Body::neighbours_loop(const View& view) {
  const std::string i = fresh("i");
  text_.line("for (long ", i, " = 1; ", i, " < ", view.n, " - 1; ", i, "++) {");
  loop_body({i, view.n, 1, 1}, view);
  text_.line("}");
}

// Two indices that meet in the middle.
void Body::meeting_loop(const View& view) {
  const std::string i = fresh("i"), j = fresh("j"), kept = fresh("kept");
  text_.line("for (long ", i, " = 0, ", j, " = ", view.n, " - 1; ", i, " < ", j, "; ", i, "++, ", j, "--) {");
  text_.line(view.type, " ", kept, " = ", element(view, i), ";");
  text_.line(element(view, i), " = ", element(view, j), ";");
  if (random_.chance(0.3)) exits();
  text_.line(element(view, j), " = ", kept, ";");
  text_.line("}");
  cost_ += weight_ * kNominal * 2;
}

// What the optimiser knows as memcpy or memset.
void Body::copying_loop(const View& view) {
  const std::string i = fresh("i");
  if (random_.chance(0.5)) {
    text_.line("for (long ", i, " = 0; ", i, " < ", view.n, "; ", i, "++) ", element(view, i), " = 0;");
  } else {
    const View from = any_view();
    const std::string n = fresh("least");
    text_.line("const long ", n, " = ", view.n, " < ", from.n, " ? ", view.n, " : ", from.n, ";");
    text_.line("for (long ", i, " = 0; ", i, " < ", n, "; ", i, "++) ", element(view, i), " = (", view.type,
               ")", from.type == "double" ? "(int)" : "", element(from, i), ";");
  }
  cost_ += weight_ * kNominal;
}

// One array several times, whole or in part: what one loop has accessed is available to the next, unless something comes between.
void Body::sweeps(const View& view) {
  const std::string part = fresh("part");
  text_.line("{"); // a goto may not pass into the scope of the variable
  text_.line("const long ", part, " = ", view.n, " - (long)(", random_.pick(values), " % 5u);");
  const u64 count = random_.between(2, 4);
  for (u64 sweep = 0; sweep < count; sweep++) {
    const std::string i = fresh("i"), last = random_.chance(0.5) ? view.n : part;
    const std::string head =
        random_.chance(0.2) ? cat("for (long ", i, " = ", last, " - 1; ", i, " >= 0; ", i, "--) ")
                            : cat("for (long ", i, " = ", random_.one_of<const char*>({"0", "0", "1"}), "; ",
                                  i, " < ", last, "; ", i, random_.chance(0.2) ? " += 2) " : "++) ");
    if (random_.chance(0.6))
      text_.line(head, element(view, i), " = (", view.type, ")", i, ";");
    else
      text_.line(head, random_.pick(values), " += (u32)", element(view, i), ";");
    if (random_.chance(0.3)) statements(1);
  }
  text_.line("}");
  cost_ += weight_ * kNominal * double(count);
}

void Body::do_while_loop(const View& view) {
  const std::string i = fresh("i");
  text_.line("long ", i, " = -1;");
  text_.line("do {");
  text_.line(i, "++;");
  loop_body({i, view.n, 0, 0}, view);
  text_.line("} while (", i, " + 1 < ", view.n, ");");
}

// Rows and columns: row by row, column by column, or a triangle.
void Body::matrix_loop() {
  if (!has_environment || !affordable(kNominal * kNominal)) return short_loop();
  const std::string r = fresh("r"), c = fresh("c");
  const std::string rows = cat("for (long ", r, " = 0; ", r, " < e->rows; ", r, "++) {");
  const std::string columns = cat("for (long ", c, " = 0; ", c, " < e->cols; ", c, "++) {");
  const u64 form = random_.below(4);
  text_.line(form == 1 ? columns : rows);
  if (form == 2)
    text_.line("for (long ", c, " = 0; ", c, " <= ", r, "; ", c, "++) {");
  else if (form == 3)
    text_.line("for (long ", c, " = ", r, "; ", c, " < e->cols; ", c, " += 2) {");
  else
    text_.line(form == 1 ? rows : columns);
  const std::string place = cat("e->mat[", r, " * e->cols + ", c, "]");
  const double outer = weight_;
  weight_ *= 40;
  store(place, "u32");
  if (random_.chance(0.3)) exits();
  if (random_.chance(0.5)) text_.line(random_.pick(values), " += ", place, ";");
  cost_ += weight_;
  weight_ = outer;
  text_.line("}");
  if (random_.chance(0.4)) text_.line(random_.pick(values), " += e->mat[", form == 1 ? c : r, "];");
  text_.line("}");
}

void Body::list_loop() {
  if (!has_environment) return short_loop();
  const std::string q = fresh("q");
  text_.line("for (struct ", prefixed("Node"), " *", q, " = e->list; ", q, " != 0; ", q, " = ", q,
             "->next) {");
  const double outer = weight_;
  weight_ *= kLeast;
  nodes.push_back(q);
  fields();
  if (random_.chance(0.3)) exits();
  statements(unsigned(random_.between(0, 1)));
  nodes.pop_back();
  weight_ = outer;
  text_.line("}");
}

// Runs zero to three times, and may contain anything.
void Body::short_loop() {
  const std::string i = fresh("i");
  text_.line("for (u32 ", i, " = ", value(1), " % 4u; ", i, " > 0; ", i, "--) {");
  const double outer = weight_;
  weight_ *= 2;
  statements(unsigned(random_.between(1, 3)));
  if (random_.chance(0.3)) exits();
  weight_ = outer;
  text_.line("}");
}

} // namespace footrace::placement_fuzz
