// A race -> the program of the True Positives Theorem (RacerDX, POPL'19, Section 6): one object, two threads that are given it, one
// call each. Whether the race then happens is for the runtime to say.
// Deviations: the proof chooses the schedule; here both calls start together, in as many rounds as one asks for.
#pragma once

#include "scan/domain/pairing.h"
#include "scan/witness/facts.h"

#include <string>
#include <unordered_map>
#include <vector>

namespace footrace::scan::witness {

// The facts of all units, by name, with the source that they were found in.
class Library {
public:
  void add(const std::string& source, Facts facts);

  template <class T> struct Entry {
    T facts;
    std::string source;
  };
  const Entry<CallFacts>* call(il::Name method) const;
  const Entry<ObjectFacts>* object(il::Name of_class) const;

private:
  std::unordered_map<std::string, Entry<CallFacts>> calls_;
  std::unordered_map<std::string, Entry<ObjectFacts>> objects_;
};

struct Witness {
  std::string title;                // the first line of the program's comment
  std::vector<std::string> sources; // to be included, the one whose flags count first
  std::string setup, first, second; // statements: the objects, and the two calls
  std::string missing;              // why there is no program; empty: there is one
  // No object in common, and functions of two sources: each call is compiled with its own (write_call, write_meeting), so that what is
  // static in one does not meet what is static in the other.
  bool is_apart() const { return missing.empty() && setup.empty() && sources.size() == 2; }
};

Witness plan(const domain::Race& race, const il::Program& program, const Library& library);

// `command`: how it is compiled, for whoever finds the file. `exceptions`: the unit is compiled with them.
std::string write_program(const Witness& witness, const std::string& command, bool exceptions);
// For sources in C, and functions that are given no object in common.
std::string write_c_program(const Witness& witness, const std::string& command);
// Of a witness that is apart: what includes one of the sources and makes its call, and the threads (in C).
enum class Part { First, Second };
std::string write_call(const Witness& witness, Part part, const std::string& command, bool c);
std::string write_meeting(const Witness& witness, const std::string& command);

} // namespace footrace::scan::witness
