// Units -> one program.
#pragma once

#include "scan/units/unit.h"

#include <unordered_map>

namespace footrace::scan::units {

// An inline function or a class of a header is in many units: the first definition counts (they are equal by C++'s
// one-definition rule), and what any unit knows about a class or a method (it is given to a thread) holds everywhere.
class Merger {
public:
  void add(il::Program program);
  il::Program take() { return std::move(program_); }

private:
  void add_class(il::Class entry);
  void add_method(il::Method entry);

  il::Program program_;
  std::unordered_map<il::Name, std::size_t> classes_, methods_;
};

} // namespace footrace::scan::units
