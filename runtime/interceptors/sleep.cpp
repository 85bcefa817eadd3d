// Sleeps order nothing, and programs that believe so are to be told (runtime/sleeps.h). nanosleep and clock_nanosleep, which std::this_thread::sleep_for calls, are
// in library_functions.cpp.
#include "runtime/interceptors/caller.h"
#include "runtime/sleeps.h"

using namespace footrace;

FR_INTERCEPTOR(unsigned, sleep, unsigned seconds) {
  const unsigned result = FR_REAL(sleep)(seconds);
  if (Thread* t = checked_caller(FR_CALLER())) thread_has_slept(t, FR_CALLER_PC());
  return result;
}
FR_INTERCEPTOR(int, usleep, unsigned microseconds) {
  const int result = FR_REAL(usleep)(microseconds);
  if (Thread* t = checked_caller(FR_CALLER())) thread_has_slept(t, FR_CALLER_PC());
  return result;
}
