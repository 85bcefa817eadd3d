// Ways through types of debug information.
#pragma once

#include "llvm/DebugInfo/DWARF/DWARFDie.h"

#include <cstdint>
#include <string>

namespace footrace::findings {

// Without names that are given to it, const, volatile and _Atomic.
llvm::DWARFDie plain_type(llvm::DWARFDie type);
llvm::DWARFDie type_of(llvm::DWARFDie die);
std::uint64_t size_of_type(llvm::DWARFDie type); // 0: not known

// ".balance", "[3].name": what lies at `offset` of a value of `type`. Ends before members of a union and bit-fields, of which one byte has several, and before
// names that are reserved: what the library has inside of a class is of no concern to its user.
std::string member_path(llvm::DWARFDie type, std::uint64_t offset);

} // namespace footrace::findings
