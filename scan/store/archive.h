// Summaries as bytes. Numbers are LEB128; names are numbers of one table that all summaries share; what a summary says many times
// (paths, lock states, turns) is written where it is first said, and then only its number.
#pragma once

#include "scan/domain/summary.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace footrace::scan::store {

class NameTable {
public:
  std::uint64_t number_of(il::Name name);
  // Nothing past the end.
  const il::Name* at(std::uint64_t number) const {
    return number < names_.size() ? &names_[number] : nullptr;
  }
  const std::vector<il::Name>& all() const { return names_; }

private:
  std::vector<il::Name> names_;
  std::unordered_map<il::Name, std::uint64_t> numbers_;
};

void append_number(std::string& bytes, std::uint64_t number);
// False: the bytes end too early.
bool take_number(std::string_view& bytes, std::uint64_t& number);

std::string encode(const domain::Summary& summary, NameTable& names);
// False: these are not the bytes of a summary.
bool decode(std::string_view bytes, const NameTable& names, domain::Summary& summary);

} // namespace footrace::scan::store
