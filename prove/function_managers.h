// std::function copies, destroys and shows what it holds by one function, its manager, which is told by a number what to do. Calls name
// the number: each is a function of its own here, so that destroying is not taken for copying.
#pragma once

namespace llvm {
class CallBase;
class Function;
class Module;
} // namespace llvm

namespace footrace::prove {

void split_managers(llvm::Module& module);
// What the call runs of a manager; the function itself if it is none, or if the number is not known.
const llvm::Function& called_part(const llvm::Function& function, const llvm::CallBase& call);

} // namespace footrace::prove
