// Pointers to member functions are two integers: the function, or one more than its place in the vtable, and what is added
// to `this`. Where no pointer of the program adds anything, or none is to a virtual function, the calls through them say
// so: otherwise `this` would be anywhere in its object, and every such call would read a vtable.
#pragma once

namespace llvm {
class Module;
}

namespace footrace::prove {

// Before anything else: the pattern is that of the unoptimised module.
void simplify_member_calls(llvm::Module& module);

} // namespace footrace::prove
