// What debug information knows of memory: which member lies at an offset of a variable, the type of what an allocation made, and the variables of a frame on
// a stack. Only DWARF, of the module itself or of its separate file; without it nothing is known, and nothing is guessed.
#pragma once

#include "findings/finding.h"

#include <memory>

namespace footrace::findings {

// ".balance", "[3].name": empty if the whole is meant or nothing is known.
using MemberPath = std::string;

struct AllocatedType {
  std::string name; // empty: not known
  MemberPath member;
};

struct StackVariable {
  std::string name; // empty: none there
  SourceLocation location;
  std::uint64_t size = 0;
  std::int64_t offset = 0; // of the address in it
  MemberPath member;
};

// A frame that lies on a stack now.
struct LiveFrame {
  std::uint64_t frame_address = 0; // canonical frame address: behind the return address
  std::uint64_t code = 0;          // an address inside the function, in its module; 0: `function` tells
  std::string function;            // linkage name
};

class DebugInfo {
public:
  explicit DebugInfo(const std::string& module);
  ~DebugInfo();

  // Addresses here are those of the module, without its load bias.
  MemberPath member_of_global(std::uint64_t variable, std::uint64_t offset);
  // Of a block of `size` bytes that the call before `return_address` has allocated. `line`: the source there, empty if it cannot be read; `column` is that of
  // the call.
  AllocatedType allocated_type(std::uint64_t return_address, std::uint64_t size, std::uint64_t offset,
                               std::string_view line, unsigned column);
  // Which variable of the frame has `address` (of the process).
  StackVariable stack_variable(const LiveFrame& frame, std::uint64_t address);

  bool has_object() const; // the file could be read
  bool has_section(std::string_view name) const;
  // "rustc", "GCC": of the unit at the address, if it was not clang; empty otherwise, and if not known.
  std::string foreign_compiler_at(std::uint64_t code);

private:
  struct State; // keeps LLVM out of this header
  std::unique_ptr<State> state_;
};

} // namespace footrace::findings
