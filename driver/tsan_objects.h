// Objects that were compiled for ThreadSanitizer's runtime: their calls of __tsan_* would only come up as undefined symbols of the linker's.
#pragma once

#include <string>
#include <vector>

namespace footrace::driver {

// The first of the inputs (objects, archives, libraries) that calls ThreadSanitizer's instrumentation; "libx.a(y.o)" of an archive. Empty if there is none. What the
// linker has to judge anyway (files that cannot be read, sources) is passed over.
std::string find_tsan_object(const std::vector<std::string>& inputs);

} // namespace footrace::driver
