// Critical sections, atomics and fences inside functions. What whole threads do together (barriers, hand-over) is in threads.cpp.
#include "tests/placement/generator/body.h"

namespace footrace::placement_fuzz {

void Body::lock_section() {
  if (!has_environment || !may_synchronise || guarded_ || blocks_ > 3 || !affordable(4)) return fields();
  synchronises_ = true;
  switch (random_.below(6)) {
  case 0:
    return nested_section();
  case 1:
    return shared_section();
  case 2:
    return try_section();
  default:
    return mutex_section();
  }
}

// The statements of a section, on the object that its lock guards.
void Body::guarded(const std::string& object, bool by_hand) {
  const bool locked = locked_;
  locked_ |= by_hand;
  guarded_ = true;
  views.push_back({object + ".a", "u32", "16L", "", ""});
  if (random_.chance(0.5)) text_.line(object, ".x += ", value(1), ";");
  if (random_.chance(0.3)) store(object + ".z", "u64");
  block(unsigned(random_.between(1, 3)));
  if (random_.chance(0.5)) text_.line(random_.pick(values), " += ", object, ".x + (u32)", object, ".y;");
  views.pop_back();
  guarded_ = false;
  locked_ = locked;
}

// Variables that are always accessed together, so that they may be checked through one of them.
void Body::together(u64 which) {
  std::vector<std::string> places = {cat(prefixed("one"), which), cat(prefixed("two"), which),
                                     cat(prefixed("set"), which, ".x"), cat(prefixed("set"), which, ".y"),
                                     cat(prefixed("set"), which, ".z")};
  for (size_t i = places.size(); i > 1; i--) std::swap(places[i - 1], places[random_.below(i)]);
  if (program_.splits_sets && random_.chance(0.3)) places.resize(random_.between(1, places.size()));
  u64 form = random_.below(3);
  for (const std::string& place : places) {
    if (program_.splits_sets && random_.chance(0.2)) form = random_.below(3);
    if (form == 0) text_.line(random_.pick(values), " += (u32)", place, ";");
    if (form == 1) text_.line(place, " = ", random_.pick(values), ";");
    if (form == 2) text_.line(place, " += ", random_.pick(values), ";");
    if (random_.chance(0.1)) assign_local();
    if (program_.splits_sets && random_.chance(0.1)) text_.line("__atomic_thread_fence(__ATOMIC_SEQ_CST);");
  }
  cost_ += weight_ * 5;
  if (random_.chance(0.5)) whole_row(which);
}

// An array that loops always access as a whole, so that it may be checked in its first cell.
void Body::whole_row(u64 which) {
  const std::string row = cat(prefixed("row"), which), local = random_.pick(values);
  const u64 count = program_.splits_sets && random_.chance(0.2) ? random_.between(1, 40) : 40;
  if (program_.splits_sets && random_.chance(0.2)) text_.line(row, "[", number(40), "] ^= ", local, ";");
  if (random_.chance(0.5))
    text_.line("for (int i = 0; i < ", count, "; i++) ", row, "[i] = ", local, " + (u32)i;");
  else
    text_.line("for (int i = 0; i < ", count, "; i++) ", local, " += ", row, "[i];");
  cost_ += weight_ * 40;
}

void Body::section_of_sets() {
  const u64 which = random_.below(2);
  const std::string lock = cat("&", prefixed("m"), "[", which, "]");
  text_.line("pthread_mutex_lock(", lock, ");");
  together(which);
  if (random_.chance(0.3)) together(which);
  text_.line("pthread_mutex_unlock(", lock, ");");
}

void Body::mutex_section() {
  const u64 which = random_.below(2);
  const std::string object = cat(prefixed("g"), "[", which, "]"),
                    lock = cat("&", prefixed("m"), "[", which, "]");
  if (cxx() && random_.chance(0.6)) {
    text_.line("{");
    text_.line("Guard ", fresh("guard"), "(", lock, ");");
    if (random_.chance(0.5)) together(which);
    guarded(object, false);
    text_.line("}");
    return;
  }
  text_.line("pthread_mutex_lock(", lock, ");");
  if (random_.chance(0.5)) together(which);
  guarded(object, true);
  if (random_.chance(0.5)) together(which);
  text_.line("pthread_mutex_unlock(", lock, ");");
}

// Always in the same order.
void Body::nested_section() {
  const std::string object = prefixed("g"), lock = cat("&", prefixed("m"));
  text_.line("pthread_mutex_lock(", lock, "[0]);");
  guarded(object + "[0]", true);
  text_.line("pthread_mutex_lock(", lock, "[1]);");
  text_.line(object, "[1].a[", number(16), "] += ", object, "[0].x;");
  guarded(object + "[1]", true);
  text_.line("pthread_mutex_unlock(", lock, "[0]);");
  text_.line(object, "[1].y += 1;");
  text_.line("pthread_mutex_unlock(", lock, "[1]);");
}

void Body::shared_section() {
  const std::string object = prefixed("w"), lock = cat("&", prefixed("rw"));
  if (random_.chance(0.4)) {
    text_.line("pthread_rwlock_wrlock(", lock, ");");
    guarded(object, true);
  } else {
    text_.line("pthread_rwlock_rdlock(", lock, ");");
    text_.line(random_.pick(values), " += ", object, ".x;");
    if (random_.chance(0.6))
      text_.line("for (int i = 0; i < 16; i++) ", random_.pick(values), " += ", object, ".a[i];");
    cost_ += weight_ * 8;
  }
  text_.line("pthread_rwlock_unlock(", lock, ");");
}

void Body::try_section() {
  const std::string object = cat(prefixed("g"), "[0]"), lock = cat("&", prefixed("m"), "[0]");
  text_.line("if (pthread_mutex_trylock(", lock, ") == 0) {");
  guarded(object, true);
  text_.line("pthread_mutex_unlock(", lock, ");");
  text_.line("}");
}

void Body::atomic() {
  if (!has_environment) return assign_local();
  const std::string place = cat("&", prefixed("at"), "[", number(4), "]"), local = random_.pick(values);
  const auto order = [&](std::initializer_list<const char*> orders) {
    return cat("__ATOMIC_", random_.one_of(orders));
  };
  switch (random_.below(5)) {
  case 0:
    return text_.line(local, " += __atomic_load_n(", place, ", ", order({"RELAXED", "ACQUIRE", "SEQ_CST"}),
                      ");");
  case 1:
    return text_.line("__atomic_store_n(", place, ", ", value(1), ", ",
                      order({"RELAXED", "RELEASE", "SEQ_CST"}), ");");
  case 2:
    return text_.line(local, " += __atomic_fetch_add(", place, ", 1u, ",
                      order({"RELAXED", "ACQUIRE", "RELEASE", "ACQ_REL", "SEQ_CST"}), ");");
  case 3: {
    const std::string expected = fresh("expected");
    text_.line("{");
    text_.line("u32 ", expected, " = ", local, ";");
    text_.line("if (__atomic_compare_exchange_n(", place, ", &", expected, ", ", value(1), ", 0, ",
               order({"RELAXED", "ACQ_REL", "RELEASE"}), ", ", order({"RELAXED", "ACQUIRE"}), ")) ", local,
               " += ", expected, ";");
    return text_.line("}");
  }
  default:
    return text_.line("__atomic_thread_fence(", order({"ACQUIRE", "RELEASE", "ACQ_REL", "SEQ_CST"}), ");");
  }
}

// Initialised by whoever comes first.
void Body::once() {
  if (!has_environment || guarded_ || !may_synchronise) return assign_local();
  synchronises_ = true;
  if (!cxx()) {
    text_.line("pthread_once(&", prefixed("once"), ", ", prefixed("initialise"), ");");
    return text_.line(random_.pick(values), " += ", prefixed("late"), "[", number(4), "];");
  }
  const std::string name = fresh("once");
  text_.line("{");
  text_.line("static const u32 ", name, " = ", prefixed("ro"), "[", number(32), "] + e->threads;");
  text_.line(random_.pick(values), " += ", name, ";");
  text_.line("}");
}

} // namespace footrace::placement_fuzz
