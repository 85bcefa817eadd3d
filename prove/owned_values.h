// References that a function holds in its registers. std::make_shared gives the function that calls it one reference; each
// count that it adds is one more, and one goes away with each that it drops, stores or passes on.
#pragma once

namespace llvm {
class CallBase;
class Instruction;
} // namespace llvm

namespace footrace::prove {

// Whether the function may have no reference left before the instruction. `counts` is the allocation of counts that begin with one.
bool may_have_given_up(const llvm::CallBase& counts, const llvm::Instruction* at);

} // namespace footrace::prove
