// Addresses of the traced process -> functions, lines and variables, with LLVM's symboliser.
#pragma once

#include "findings/finding.h"
#include "findings/protocol.h"

#include <memory>

namespace footrace::findings {

// Code that is not instrumented.
struct ForeignCode {
  std::string
      name; // "libtbb.so.12", "code compiled by rustc"; empty: it is instrumented, or nothing is known
  bool is_module = false; // all of a library
};

class Symbolizer {
public:
  Symbolizer();
  ~Symbolizer();

  void set_modules(std::vector<Module> modules);

  // The frames at a return address, innermost inlined one first; at least one, whatever the address is.
  Stack frames_at(std::uint64_t return_address);
  void append_frames(const std::vector<std::uint64_t>& return_addresses, Stack& stack);
  // Name, begin, size and declaration of the global at memory.address, as far as known.
  void describe_global(Memory& memory);
  // Type and member of the block that the call before `allocated_at` has made.
  void describe_block(Memory& memory, std::uint64_t allocated_at);
  // Name and declaration of the variable at memory.address, in the frame that it lies in.
  void describe_stack(Memory& memory, const RawRace& race);
  ForeignCode foreign_code(const StackFrame& frame);
  // The module that `address` lies in, or nullptr.
  const Module* module_of(std::uint64_t address) const;

private:
  struct State; // keeps LLVM out of this header
  std::unique_ptr<State> state_;
};

} // namespace footrace::findings
