// Which frame of a thread's stack an address lies in, for the name of the variable there. The runtime keeps return addresses, not frames: the lowest place
// above the address that holds one of them is where the function whose variable it is will return to.
#pragma once

#include "base/types.h"

namespace footrace {

struct Thread;

struct LiveFrame {
  uptr address; // canonical frame address: behind the return address; 0: not found
  uptr code;    // in the frame's function; 0: not known
  uptr returns; // the return address
};

// Of a live thread; the registry is locked. The thread may be running: what is found is then of some moment.
LiveFrame find_live_frame(const Thread* t, uptr address);

} // namespace footrace
