// The features (abi/features.h) that the modules registered so far want.
// Concurrency: bits are only ever added.
#pragma once

#include "abi/features.h"

namespace footrace {

void enable_features(u32 features);
bool has_feature(u32 feature);

} // namespace footrace
