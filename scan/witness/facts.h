// What a witness needs of the declarations that the IL leaves out: how to call a function, with which arguments, and how to make
// the objects. Collected where clang is at hand (collect.h) and kept in the unit as text.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace footrace::scan::witness {

// A C++ expression, or the reason why there is none: never both.
struct Expression {
  std::string text;
  std::string missing;
  bool operator==(const Expression&) const = default;
};

struct ObjectFacts {
  std::string of_class; // il::Class::name
  Expression made;      // of type T*
  bool operator==(const ObjectFacts&) const = default;
};

// How an argument reaches an object that the caller has a pointer to.
enum class Passing { Copy, Pointer, Reference };

struct Parameter {
  Passing passing = Passing::Copy;
  Expression made;
  bool operator==(const Parameter&) const = default;
};

struct CallFacts {
  std::string method; // il::Method::name
  std::string callee; // "add" of an object's method, "::ns::f" of a function, "new ::ns::C" of a constructor
  bool has_this = false;
  std::vector<Parameter> parameters; // without `this`
  std::string missing;               // why it cannot be called from outside; empty: it can
  bool operator==(const CallFacts&) const = default;
};

struct Facts {
  std::vector<ObjectFacts> objects;
  std::vector<CallFacts> calls;
  bool operator==(const Facts&) const = default;
};

// One line for each object and call, without its newline.
std::vector<std::string> write_facts(const Facts& facts);
// False: the line makes no sense.
bool read_fact(std::string_view line, Facts& facts);

} // namespace footrace::scan::witness
