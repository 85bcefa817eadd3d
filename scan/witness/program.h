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
};

Witness plan(const domain::Race& race, const il::Program& program, const Library& library);

// `command`: how it is compiled, for whoever finds the file. `exceptions`: the unit is compiled with them.
std::string write_program(const Witness& witness, const std::string& command, bool exceptions);
// For sources in C, and functions that are given no object in common.
std::string write_c_program(const Witness& witness, const std::string& command);

} // namespace footrace::scan::witness
