// What instrumented code wants of the runtime: bits of the last argument of __footrace_register_module. Modules of one process may
// differ; what one of them wants, all get.
#pragma once

#include "base/types.h"

namespace footrace {

// Presets slimstate, slimcard and bigfoot: the shadow of arrays is compressed while the program runs.
constexpr u32 kFeatureCompressedShadow = 1;

} // namespace footrace
