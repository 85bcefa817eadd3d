// Traces for other tools: STD with its eight operations and nothing else (`thread|op(operand)|site`). What STD cannot say is written as what it can, and the
// result never orders less than the program did: a tool that reads it reports no race that is not there, but may miss some.
//   r, w of a range    one line for each unit of 8 bytes that it touches: variable V<address / 8>. Units are coarser than bytes.
//   free               w
//   acq_shared, vol_r, vol_w, load, store, rmw, cas_fail, arrive, leave   acq and rel of a lock of their own; shared holders exclude each other
//   alloc, exit        nothing: memory that is used again keeps its name
//   fence              acq and rel of one lock that all fences share
#pragma once

#include "events/event.h"

#include <string>

namespace footrace {

// Appends the lines of the event.
void append_std(const Event& event, std::string& text);

} // namespace footrace
