// The C++ library's own functions behind interceptors of mangled names. It may have come with dlopen and be visible only from the library that calls, so they
// are looked up at the first call and not at start-up.
#pragma once

#include "base/types.h"

namespace footrace {

void* real_in_scope_of(const char* name, uptr pc);

template <class Function> Function* real_cxx(const char* name, uptr pc) {
  return reinterpret_cast<Function*>(real_in_scope_of(name, pc));
}

} // namespace footrace
