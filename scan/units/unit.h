// A unit: what scan knows about one translation unit, as a file. Units are made apart from each other (in other processes, on
// other machines) and merged; a unit whose source, headers and flags have not changed need not be made again.
#pragma once

#include "scan/il/il.h"
#include "scan/witness/facts.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace footrace::scan::units {

struct Dependency {
  std::string file;
  std::uint64_t digest = 0; // of its content
  bool operator==(const Dependency&) const = default;
};

struct Unit {
  std::string source;
  std::uint64_t command = 0;            // digest of folder and arguments
  std::vector<Dependency> dependencies; // the source and every header that it read
  std::vector<std::string> errors;      // of the compiler; what it could not read is not in the program
  witness::Facts witness;               // what the program leaves out and a test needs
  il::Program program;
  bool operator==(const Unit&) const = default;
};

std::uint64_t digest_of(std::string_view text);
// Nothing if the file cannot be read.
std::optional<std::uint64_t> digest_of_file(const std::string& file);

std::string write_unit(const Unit& unit);

// What the unit was made from, in the form of make: "target: file file".
std::string write_depfile(const Unit& unit, const std::string& target);

struct ReadResult {
  Unit unit;
  std::string error; // what is wrong with the file and what to do; empty: nothing
};
ReadResult parse_unit(std::string_view text, const std::string& file);
ReadResult read_unit(const std::string& file);

} // namespace footrace::scan::units
