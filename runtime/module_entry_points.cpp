// Constructors and destructors of instrumented modules announce them here (abi/callbacks.def).
#include "runtime/interception.h"
#include "runtime/modules.h"
#include "runtime/runtime.h"
#include "runtime/site_table.h"

namespace footrace {

FR_EXPORT void __footrace_register_module(void* begin, void* end, void* address) {
  ensure_started();
  Critical critical(self());
  if (register_module(static_cast<SiteRecord*>(begin), static_cast<SiteRecord*>(end),
                      reinterpret_cast<uptr>(address)))
    forget_module_data(reinterpret_cast<uptr>(address));
}

FR_EXPORT void __footrace_unregister_module(void* begin) {
  refresh_modules(); // stacks will point into it when it is gone
  Critical critical(self());
  unregister_module(static_cast<SiteRecord*>(begin));
}

} // namespace footrace
