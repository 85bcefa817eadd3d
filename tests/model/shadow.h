// The shadow that the explorer's threads share: a few cells and headers, the sets and words of bytes that they name, the threads' own state; what it
// means, who may store what, and what is true of it at any time.
#pragma once

#include "check/arrays.h"
#include "check/bytes.h"
#include "check/step.h"

#include <functional>
#include <string>

namespace footrace::model {

// Two blocks of two cells.
constexpr u64 kBytes = 2 * kBlockBytes, kCells = kBytes / 8, kHeaders = kBytes / kBlockBytes;
uptr base(); // of the program's memory

constexpr Tid kMain = 1, kEarlier = 2, kRun = 10, kProbe = 14, kThreads = 16;
ThreadState& new_thread(Tid tid);
ThreadState& state_of(Tid tid);
inline ThreadState& state_in_run(size_t thread) { return state_of(kRun + Tid(thread)); }
// What a thread of the run is doing.
void begin_access(size_t thread, u64 what);
void end_access(size_t thread);
// In between the thread remembers all that it has looked at.
void begin_quick(size_t thread);
void end_quick(size_t thread);
void begin_thread(size_t thread); // it knows now whom it is ordered after
void end_thread(size_t thread);

void clear_shadow(bool uses_freed); // used: the rules of who may store what do not hold
void end_of_setup();                // what the shadow names is named now

// Equal in two states if nobody can tell them apart.
u64 fingerprint_of_shadow();
u64 fingerprint_of(const ThreadState& t); // what a thread remembers of its epoch

// Empty, or what is not as it must be: nothing is asked if freed memory is used. Bytes of which a race was told may have lost more.
std::string broken_invariant(const std::function<bool(u64 byte)>& is_told);
std::string name_of(const volatile void* p);

} // namespace footrace::model
