// Constructors and destructors of instrumented modules announce them here (abi/callbacks.def).
#include "check/arrays.h"
#include "runtime/features.h"
#include "runtime/interception.h"
#include "runtime/modules.h"
#include "runtime/recording.h"
#include "runtime/runtime.h"
#include "runtime/site_table.h"

namespace footrace {

namespace {
u32 g_features;
} // namespace

void enable_features(u32 features) {
  __atomic_fetch_or(&g_features, features, __ATOMIC_RELAXED);
  if (features & kFeatureCompressedShadow) __atomic_store_n(&g_compress_blocks, true, __ATOMIC_RELAXED);
}
bool has_feature(u32 feature) { return __atomic_load_n(&g_features, __ATOMIC_RELAXED) & feature; }

FR_EXPORT void __footrace_register_module(void* begin, void* end, void* address, u32 features) {
  enable_features(features);
  ensure_started();
  recording_modules();
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
