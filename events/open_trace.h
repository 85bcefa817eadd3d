// Opens a trace of any form: its first bytes tell which.
#pragma once

#include "events/source.h"

#include <memory>

namespace footrace {

// "-" is standard input. Null: `error` says why.
std::unique_ptr<EventSource> open_trace(const std::string& file, TraceError& error);

} // namespace footrace
