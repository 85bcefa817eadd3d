// The mark of an access that a check of the early phase covers: the late phase must not check it again.
//
// The mark is one access group per module, listed in the module's metadata `footrace.covered`: the vectoriser and everything else that copies
// or widens an access keeps access groups, and what merges accesses keeps only the groups that all of them have. So a mark can be lost,
// which costs a second check, but never spreads to an access that was not covered.
#pragma once

namespace llvm {
class Function;
class Instruction;
} // namespace llvm

namespace footrace {

void mark_covered(llvm::Instruction& access);
bool has_cover_mark(const llvm::Instruction& access);
void drop_cover_marks(llvm::Function& function);

} // namespace footrace
