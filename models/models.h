// What library functions mean, by name: data that every analysis shares. The tables are the *.def files of this
// folder; a function that is in none of them is unknown and may do anything.
#pragma once

#include "models/effects.h"

#include <span>
#include <string_view>

namespace footrace {

// One letter per argument; the last one also stands for all that follow. No letters: nothing is known about them.
enum class ArgumentUse : char {
  Value = '-',   // not a pointer, or a pointer that is only compared
  Read = 'r',    // the memory behind it is read during the call
  Written = 'w', // ... written
  Both = 'b',    // ... read and written
  Freed = 'f',   // ... freed
  Called = 'c',  // a function that may be called during the call
  Kept = 'k',    // may be remembered beyond the call, or handed to another thread
  Unknown = '?',
};

struct Model {
  std::string_view name;
  Effects effects; // without those of the functions that it calls back
  std::string_view arguments;

  ArgumentUse argument(unsigned index) const;
  bool may_call_back() const { return arguments.find('c') != std::string_view::npos; }
};

// The model of the function with this linkage name, or null.
const Model* find_model(std::string_view name);

std::span<const Model> all_models();

} // namespace footrace
