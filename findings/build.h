// Raw race of the protocol -> Finding.
#pragma once

#include "findings/protocol.h"
#include "findings/symbolizer.h"

namespace footrace::findings {

// Symbolised and sealed.
Finding build_finding(const RawRace& race, const Hello& process, Symbolizer& symbolizer);

} // namespace footrace::findings
