// Explores every interleaving of a few threads that run the real protocol code on the real shadow.
//
// The protocol's sources are compiled once more with interleave.h, which makes every load, store and compare-and-swap of the shadow a
// scheduling point. The threads are coroutines of one OS thread; a run is repeated for every choice at every point, depth first. A state
// that was met before (same shadow, and every thread has observed the same values) is not explored again, which is exact: what a thread
// does next depends only on what it has observed, where it is in the code, and what it remembers (`fingerprint`). Waiting is a point too: the thread goes on once something that it
// has looked at was written.
// Sequential consistency is assumed; docs/shadow.md says why that is enough on x86.
#pragma once

#include "base/types.h"

#include <functional>
#include <string>
#include <vector>

namespace footrace::model {

struct Scenario {
  std::string name;
  std::vector<std::function<void()>> threads;
  std::function<void()> setup;                                // before every run
  std::function<u64()> fingerprint;                           // of the shadow, and of what threads remember
  std::function<std::string()> at_write;                      // after every write: empty, or what is broken
  std::function<std::string()> at_end;                        // when all threads have ended
  std::function<std::string(const volatile void* p)> name_of; // a word of the shadow, for traces
};

struct Outcome {
  u64 runs = 0, states = 0;
  bool exhausted = false; // all interleavings were seen
  std::string failure;    // empty: none
  std::string trace;      // what each thread did to the shadow, when it failed
};

Outcome explore(const Scenario& scenario, u64 most_runs);

// What the threads call.
void step(); // the thread is about to touch the shadow
void observed(const volatile void* p,
              u64 value);    // what it has found there, or whether a compare-and-swap succeeded
void begin_access(u64 what); // what it does from now on depends on this and on what it will observe
// Of a load from where the code can go on without anything that it has observed before: because it comes to something new (`is_first`, in an access),
// or because it comes back to this load (a loop that carries nothing from one round to the next; all of the core's are such).
void observed_no_more(const volatile void* p, bool is_first);
// It looks through something, and keeps of it only where it goes on in the code, until it does so again.
void begin_scan();
void observed_in_scan(const volatile void* p, u64 value);
void wrote(const volatile void* p); // it has changed the shadow
void wait();                        // it can go on only after something that it has looked at was written
void wait_for(size_t thread);       // it can go on only when that one has ended
void note(const char* what, const volatile void* p, u64 first, u64 second); // for the trace of a failure
void fail(const char* what);
int current_thread(); // -1 outside of a run

u64 mix(u64 hash, u64 value);

} // namespace footrace::model
