// What the pass adds to and changes in the module as a whole.
#pragma once

#include "instrument/callbacks.h"
#include "instrument/sites.h"

namespace llvm {
class TargetLibraryInfo;
}

namespace footrace {

// Marks the module as instrumented; false if it already was (a second run would check the checks).
bool claim_module(llvm::Module& module);
bool has_claim(const llvm::Module& module);

// The constructor and destructor that tell the runtime about the module's site table. They are the same in
// every object, so the linker keeps one pair per executable or shared library.
void emit_registration(llvm::Module& module, Callbacks& callbacks, SiteStrings& strings, SiteLinkage linkage,
                       uint32_t features);

// The function now calls the runtime: it reads, writes and synchronises whatever it was said not to before.
void drop_memory_attributes(llvm::Function& function);
// The same for calls and declarations of functions that may be instrumented; library functions are not.
void drop_memory_attributes_of_callees(llvm::Function& caller, const llvm::TargetLibraryInfo& library);

} // namespace footrace
