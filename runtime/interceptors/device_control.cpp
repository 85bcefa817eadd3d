// ioctl, prctl, shmctl: what the third argument points to depends on the request. Those that programs use most.
#include "runtime/interceptors/caller.h"

#include <stdarg.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/shm.h>

using namespace footrace;

namespace {

u64 bytes_written(unsigned long request) {
  switch (request) {
  case FIONREAD:
  case TIOCOUTQ:
  case TIOCGPGRP:
  case TIOCGSID:
  case TIOCMGET:
    return sizeof(int);
  case TIOCGWINSZ:
    return sizeof(winsize);
  }
  return 0;
}
u64 bytes_read(unsigned long request) {
  switch (request) {
  case FIONBIO:
  case FIOASYNC:
  case TIOCSPGRP:
    return sizeof(int);
  case TIOCSWINSZ:
    return sizeof(winsize);
  }
  return 0;
}

} // namespace

FR_INTERCEPTOR(int, ioctl, int fd, unsigned long request, ...) {
  va_list arguments;
  va_start(arguments, request);
  void* argument = va_arg(arguments, void*);
  va_end(arguments);
  if (const u64 size = bytes_read(request))
    if (Thread* t = checked_caller(FR_CALLER()); t && argument) check_read(t, FR_CALLER(), argument, size);
  const int result = FR_REAL(ioctl)(fd, request, argument);
  if (const u64 size = bytes_written(request); size && result >= 0)
    if (Thread* t = checked_caller(FR_CALLER()); t && argument) check_write(t, FR_CALLER(), argument, size);
  return result;
}
FR_INTERCEPTOR(int, prctl, int operation, u64 a, u64 b, u64 c, u64 d) {
  constexpr u64 kNameBytes = 16;
  const int result = FR_REAL(prctl)(operation, a, b, c, d);
  if (Thread* t = checked_caller(FR_CALLER()); t && result >= 0) {
    if (operation == PR_GET_NAME) check_write(t, FR_CALLER(), reinterpret_cast<void*>(a), kNameBytes);
    if (operation == PR_GET_PDEATHSIG) check_write(t, FR_CALLER(), reinterpret_cast<void*>(a), sizeof(int));
  }
  return result;
}
FR_INTERCEPTOR(int, shmctl, int id, int command, shmid_ds* info) {
  const int result = FR_REAL(shmctl)(id, command, info);
  if (command == IPC_STAT && !result)
    if (Thread* t = checked_caller(FR_CALLER())) check_write(t, FR_CALLER(), info, sizeof *info);
  return result;
}
