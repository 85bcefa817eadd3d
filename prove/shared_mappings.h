// Memory that is mapped more than once: calls of mmap with MAP_SHARED may give the same bytes at two addresses, and share them with the
// processes that fork makes.
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace footrace::prove {

// All mappings of files that may be shared become one object. With fork, where the other process may race, they are not modelled.
void merge_shared_mappings(llvm::Module& module);

} // namespace footrace::prove
