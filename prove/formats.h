// Formats of printf and scanf: %n, which writes, and %p, which makes an address of text.
#pragma once

namespace llvm {
class CallBase;
class Module;
} // namespace llvm

namespace footrace::prove {

// Whether the format of the call, its last fixed argument, says that it stores through its variable arguments. A
// format that is not known may be any string of the program.
bool may_store_arguments(const llvm::CallBase& call);
// Whether the program has a string that does.
bool has_storing_format(const llvm::Module& module);
// Whether the format of a scanf, likewise, makes addresses.
bool may_read_addresses(const llvm::CallBase& call);

} // namespace footrace::prove
