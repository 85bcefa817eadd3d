#include "runtime/interceptors/cxx_lookup.h"

#include "runtime/interception.h"
#include "runtime/runtime.h"

#include <dlfcn.h>
#include <errno.h>

namespace footrace {

void* real_in_scope_of(const char* name, uptr pc) {
  if (void* found = real_function_or_null(name)) return found;
  int saved = errno;
  Dl_info caller;
  void* found = nullptr;
  if (dladdr(reinterpret_cast<void*>(pc), &caller))
    if (void* library = dlopen(caller.dli_fname, RTLD_LAZY | RTLD_NOLOAD)) {
      found = dlsym(library, name);
      dlclose(library);
    }
  errno = saved;
  return found ? found : real_function(name);
}

} // namespace footrace
