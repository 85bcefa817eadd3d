// The ends of a process that run no exit handlers; the others are in runtime/process_end.cpp.
#include "runtime/interception.h"
#include "runtime/process_end.h"

using namespace footrace;

FR_INTERCEPTOR(void, _exit, int status) { FR_REAL(_exit)(final_code(status)); }
FR_INTERCEPTOR(void, _Exit, int status) { FR_REAL(_Exit)(final_code(status)); }
FR_INTERCEPTOR(void, quick_exit, int status) {
  remember_quick_status(status);
  FR_REAL(quick_exit)(status);
}
