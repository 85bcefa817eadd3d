// Units -> one program.
#pragma once

#include "scan/il/dispatch.h"
#include "scan/il/threads.h"
#include "scan/units/unit.h"

#include <set>
#include <unordered_map>

namespace footrace::scan::units {

// An inline function or a class of a header is in many units: the first definition counts (they are equal by C++'s
// one-definition rule), and what any unit knows about a class or a method (it is given to a thread) holds everywhere.
class Merger {
public:
  void add(il::Program program);
  // What a call through a slot may mean is known now that every unit is in.
  il::Program take() {
    il::resolve_dispatch(program_);
    il::expose_threads(program_);
    return std::move(program_);
  }

private:
  void add_class(il::Class entry);
  void add_method(il::Method entry);

  il::Program program_;
  std::unordered_map<il::Name, std::size_t> classes_, methods_;
  std::set<il::Slot> slots_;
};

} // namespace footrace::scan::units
