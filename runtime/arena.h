// Memory for what the runtime keeps until the process ends.
#pragma once

#include "base/types.h"

namespace footrace {

void* arena_allocate(
    u64 size); // zeroed, aligned to 16, never freed; ends the process when there is no memory
const char* arena_copy(const char* text, u64 size); // with a NUL after it

} // namespace footrace
