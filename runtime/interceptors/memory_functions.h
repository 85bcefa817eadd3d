// The C library's own memory functions, without checks. They work at any time, also before the runtime has
// started.
#pragma once

#include "base/types.h"

namespace footrace {

void* plain_memcpy(void* to, const void* from, u64 size);
void* plain_memmove(void* to, const void* from, u64 size);
void* plain_memset(void* to, int value, u64 size);

} // namespace footrace
