// Futures, promises, packaged tasks and std::async: the bodies of the library by what they mean.
#pragma once

#include "prove/replacements.h"

namespace footrace::prove {

void replace_future(llvm::Function& function, const Name& name);

} // namespace footrace::prove
