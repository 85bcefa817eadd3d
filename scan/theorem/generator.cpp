#include "scan/theorem/generator.h"

#include <random>
#include <string_view>
#include <vector>

namespace footrace::scan::theorem {

namespace {

constexpr unsigned max_methods = 4, max_formals = 3, max_statements = 5, max_nesting = 2;

// Variables are pointers to objects (a0, t0) or, in C++, pointers to a place that holds one (c0, r0).
class Generator {
public:
  Generator(std::uint64_t seed, Language language) : random_(seed), language_(language) {}

  std::string run() {
    methods_.resize(1 + below(max_methods));
    for (Signature& signature : methods_) {
      unsigned formals = 1 + below(max_formals);
      // Locks are members of the first one, which is an object therefore.
      for (unsigned i = 0; i < formals; ++i)
        signature.formals.push_back(cpp() && i > 0 && chance(25) ? 'c' : 'a');
      signature.result = cpp() && chance(30) ? 'c' : 'a';
    }
    std::string text;
    for (current_ = 0; current_ < methods_.size(); ++current_) text += method();
    return text;
  }

private:
  struct Signature {
    std::string formals; // 'a' or 'c' each
    char result = 'a';
  };

  unsigned below(unsigned n) { return unsigned(random_() % n); }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <class List> auto pick(const List& list) { return list[below(unsigned(std::size(list)))]; }
  bool cpp() const { return language_ != Language::Paper; }
  bool threads() const { return language_ == Language::Threads; }
  static std::string numbered(char letter, unsigned i) { return letter + std::to_string(i); }
  const Signature& here() const { return methods_[current_]; }

  std::string method() {
    objects_ = places_ = 0;
    std::string text = "method m" + std::to_string(current_) + "(";
    for (unsigned i = 0; i < here().formals.size(); ++i)
      text += (i ? ", " : "") + numbered(here().formals[i], i);
    text += ") {\n" + body(0);
    if (cpp() && chance(50)) text += "return " + (here().result == 'c' ? place() : object()) + ";\n";
    return text + "}\n";
  }

  std::string body(unsigned nesting) {
    std::string text;
    unsigned count = 1 + below(max_statements - nesting);
    for (unsigned i = 0; i < count; ++i) text += statement(nesting);
    return text;
  }

  std::string statement(unsigned nesting) {
    unsigned kind = below(100);
    if (nesting < max_nesting && kind < 12) return locked(nesting);
    if (nesting < max_nesting && kind < 20) return branch(nesting);
    if (nesting < max_nesting && kind < 24) return "while * {\n" + body(nesting + 1) + "}\n";
    // A2: no thread is waited for with a lock held. Nobody calls the first method, and this is its outermost level.
    if (threads() && current_ == 0 && nesting == 0 && chance(40)) return thread();
    if (kind < 36 && current_ + 1 < methods_.size()) return call();
    return simple() + ";\n";
  }

  std::string locked(unsigned nesting) {
    std::string lock = "@lock", mode;
    if (cpp()) {
      constexpr std::string_view locks[] = {"@lock", "@other", "a0->m", "a0->n", "a0->s.m", "a0->f->m"};
      lock = pick(locks);
      if (chance(30)) mode = "shared ";
    }
    return "lock " + mode + lock + ";\n" + body(nesting + 1) + "unlock " + mode + lock + ";\n";
  }

  std::string branch(unsigned nesting) {
    std::string text = "if * {\n" + body(nesting + 1) + "}";
    if (chance(60)) text += " else {\n" + body(nesting + 1) + "}";
    return text + "\n";
  }

  std::string thread() {
    if (chance(20)) return "wait w();\n";
    if (chance(40) || methods_.size() == 1) return "join j();\n";
    return "spawn " + called(later_method());
  }

  // Only later methods are called: there is no recursion.
  unsigned later_method() { return current_ + 1 + below(unsigned(methods_.size()) - current_ - 1); }
  std::string call() {
    unsigned callee = later_method();
    std::string text = "call " + called(callee);
    if (cpp() && chance(30))
      return (methods_[callee].result == 'c' ? new_place() : new_object()) + " := " + text;
    return text;
  }
  std::string called(unsigned callee) {
    const Signature& signature = methods_[callee];
    std::string text = "m" + std::to_string(callee) + "(";
    for (unsigned i = 0; i < signature.formals.size(); ++i)
      text += (i ? ", " : "") + (signature.formals[i] == 'c' ? place() : object());
    return text + ");\n";
  }

  std::string simple() {
    switch (below(cpp() ? 10 : 6)) {
    case 0:
      return assigned(variable());
    case 1:
      return assigned(path());
    case 2:
    case 3:
      return store(path());
    case 4:
      return assigned("new");
    case 5: {
      std::string from = path();
      return new_object() + " := " + from;
    }
    case 6:
      return "use " + path();
    case 7:
      return path() + " := ?";
    case 8:
      return variable() + "->s := ?"; // an object inside an object, as a whole
    default: {
      std::string from = place();
      return new_place() + " := " + from;
    }
    }
  }
  std::string assigned(const std::string& value) {
    return (chance(80) ? new_object() : object_formal()) + " := " + value;
  }

  // Argument-normal form (Definition 5.12): only a local is stored.
  std::string store(const std::string& to) {
    std::string first = objects_ == 0 ? new_object() + " := new;\n" : "";
    return first + to + " := " + numbered('t', below(objects_));
  }

  std::string new_object() {
    if (objects_ == 0 || chance(50)) ++objects_;
    return numbered('t', objects_ - 1);
  }
  std::string new_place() {
    if (places_ == 0 || chance(50)) ++places_;
    return numbered('r', places_ - 1);
  }
  std::string formal(char letter) {
    std::vector<unsigned> fitting;
    for (unsigned i = 0; i < here().formals.size(); ++i)
      if (here().formals[i] == letter) fitting.push_back(i);
    return fitting.empty() ? "" : numbered(letter, pick(fitting));
  }
  std::string object_formal() { return formal('a'); }
  // A pointer to an object in a variable.
  std::string variable() {
    return objects_ > 0 && chance(40) ? numbered('t', below(objects_)) : object_formal();
  }
  std::string object() { return chance(50) ? variable() : path(); }
  // A pointer to a place that holds a pointer.
  std::string place() {
    std::string known = places_ > 0 && chance(50) ? numbered('r', below(places_)) : formal('c');
    return !known.empty() && chance(60) ? known : "&" + path();
  }

  std::string path() {
    constexpr std::string_view fields[] = {"f", "g"};
    constexpr std::string_view cpp_fields[] = {"f", "g", "s.f", "s.g"};
    std::string text = variable();
    unsigned length = chance(50) ? 1 : 1 + below(3);
    if (cpp() && chance(25)) {
      std::string through = places_ > 0 && chance(50) ? numbered('r', below(places_)) : formal('c');
      text = through.empty() ? "@x" : through + "^";
      --length;
    }
    for (unsigned i = 0; i < length; ++i) text += "->" + std::string(cpp() ? pick(cpp_fields) : pick(fields));
    return text;
  }

  std::mt19937_64 random_;
  Language language_;
  std::vector<Signature> methods_;
  unsigned current_ = 0;
  unsigned objects_ = 0, places_ = 0; // locals so far
};

} // namespace

std::string random_program(std::uint64_t seed, Language language) { return Generator(seed, language).run(); }

} // namespace footrace::scan::theorem
