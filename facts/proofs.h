// Accesses that a proof of the whole program (footrace prove) showed to be race-free, as they travel from the proof to the compiler.
//
// A proof is about one version of one program. It names every source file with a digest of its contents and every function with a digest of its
// shape; whoever uses it compares both and refuses the proof as a whole when one differs. An access is named by its place in its function. Several
// accesses may share a place (a macro): the place is race-free only if all of them are.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <compare>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace llvm {
class Function;
class Instruction;
class Module;
} // namespace llvm

namespace footrace {

struct SourceAccess {
  unsigned line = 0, column = 0;
  bool is_write = false;
  auto operator<=>(const SourceAccess&) const = default;
};

struct FunctionProof {
  std::string unit; // the source file of a function that other files cannot name; empty: known everywhere
  std::string name; // as the linker sees it
  std::uint64_t shape = 0;
  std::set<SourceAccess> race_free;
};

struct SourceDigest {
  std::string file; // absolute
  std::uint64_t digest = 0;
};

struct Proofs {
  std::vector<SourceDigest> files;
  std::vector<FunctionProof> functions;
};

std::string write_proofs(const Proofs& proofs);
// The error says which line of the file is wrong.
llvm::Expected<Proofs> read_proofs(const std::string& file);

// Of the contents; 0 if the file cannot be read.
std::uint64_t digest_of_file(const std::string& file);

// The accesses that an instruction of unoptimised code makes for certain places of the source; none if the place is not known, or for an
// atomic access, which orders others and is never left out.
std::vector<SourceAccess> source_accesses(const llvm::Instruction& inst);

// What the function does to memory that is not its own, what it calls and what it compares with, each with its place: before the optimiser, but
// with the options of the build, because they decide about some of the code already.
std::uint64_t shape_of(const llvm::Function& function);

// Leaves the accesses of the instruction that are among those given without checks: a mark that the optimiser drops when it merges the instruction
// with another. Returns how many.
unsigned mark_race_free(llvm::Instruction& inst, const std::set<SourceAccess>& race_free);
bool has_race_free_mark(const llvm::Instruction& inst, bool is_write);

// The source file that the function was compiled from, absolute; empty without debug information.
std::string unit_of(const llvm::Function& function);
// The source files that debug information names.
std::set<std::string> source_files(const llvm::Module& module);

} // namespace footrace
