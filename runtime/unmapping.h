// Memory that is about to be unmapped: munmap, mremap, and free of blocks that glibc had mapped one by one.
#pragma once

#include "runtime/runtime.h"

namespace footrace {

// Checks the range as freed by `t` (null: the caller is not judged) and gives its shadow back. Must come
// before the real call: right after that another thread may be given the same addresses.
void check_and_forget(Thread* t, Caller caller, uptr address, u64 size);

} // namespace footrace
