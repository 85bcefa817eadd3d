// The recorder's ear: messages over a socket (abi/recording.h), by which it learns names before it meets them in a ring.
#pragma once

#include "abi/recording.h"
#include "runtime/context.h"
#include "runtime/site_table.h"

namespace footrace {

// False: nobody answers there.
bool open_recording_channel(const char* path);
void close_recording_channel();
bool recorder_is_there();
// Recording is over, and the user is told why: nothing of it may end the program.
FR_COLD void give_up_recording(const char* why);

// A message without rows; with it goes a descriptor, if there is one. False: the recorder is gone.
bool tell_recorder(RecordingMessage message, u64 first = 0, int descriptor = -1);
void send_modules(u64 version); // of refresh_modules
FR_COLD void send_names();

// Numbers up to these are known to the recorder.
extern u32 g_sent_contexts, g_sent_pcs;
FR_INLINE bool has_new_names() {
  return context_count() != __atomic_load_n(&g_sent_contexts, __ATOMIC_ACQUIRE) ||
         pc_site_count() != __atomic_load_n(&g_sent_pcs, __ATOMIC_ACQUIRE);
}

} // namespace footrace
