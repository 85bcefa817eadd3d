// Force-included (-include) into every freestanding source. Compilers turn struct copies and loops into calls
// of memcpy and its kin; in the user's program those names are our own interceptors, which must never be
// reached from the runtime itself. The assembler therefore renames them. Sources that define the interceptors
// set FOOTRACE_DEFINES_BUILTINS instead.
#pragma once

#ifndef FOOTRACE_DEFINES_BUILTINS
asm(".set memcpy, __footrace_internal_memcpy");
asm(".set memmove, __footrace_internal_memmove");
asm(".set memset, __footrace_internal_memset");
asm(".set memcmp, __footrace_internal_memcmp");
asm(".set bcmp, __footrace_internal_memcmp");
asm(".set strlen, __footrace_internal_strlen");
#endif
