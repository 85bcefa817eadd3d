// Message queues and semaphores of System V and POSIX, and locks of streams: whoever takes a message, or a unit of a semaphore, comes after what its sender
// has done. As with pipes (runtime/channels.h) the order is that of all earlier senders, and queues whose numbers fall together count as one.
#include "runtime/channels.h"
#include "runtime/interceptors/caller.h"
#include "runtime/interceptors/sync_calls.h"

#include <mqueue.h>
#include <stdio.h>
#include <sys/sem.h>

using namespace footrace;

namespace {

// Synchronisation objects need addresses; a word each, so that they share nothing.
constexpr u32 kObjects = 1024;
u64 g_queues[kObjects], g_semaphores[kObjects];
uptr object_of(u64* objects, int id) { return reinterpret_cast<uptr>(&objects[u32(id) % kObjects]); }

void release(u64* objects, int id) {
  if (Thread* t = syncing_thread()) sync_write_volatile(t, object_of(objects, id));
}
void acquire(u64* objects, int id) {
  if (Thread* t = syncing_thread()) sync_read_volatile(t, object_of(objects, id));
}

bool may_add(const sembuf* operations, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (operations[i].sem_op > 0) return true;
  return false;
}
bool may_wait(const sembuf* operations, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (operations[i].sem_op <= 0) return true;
  return false;
}
void check_operations(Caller caller, const sembuf* operations, size_t count) {
  if (Thread* t = checked_caller(caller)) check_read(t, caller, operations, count * sizeof *operations);
}

void sending(Caller caller, mqd_t queue, const void* message, u64 size) {
  if (Thread* t = checked_caller(caller)) check_read(t, caller, message, size);
  if (Thread* t = self()) descriptor_release(t, queue);
}
void received(Caller caller, mqd_t queue, const void* message, const unsigned* priority, i64 size) {
  if (size < 0) return;
  if (Thread* t = self()) descriptor_acquire(t, queue);
  Thread* t = checked_caller(caller);
  if (!t) return;
  check_write(t, caller, message, u64(size));
  if (priority) check_write(t, caller, priority, sizeof *priority);
}

} // namespace

FR_INTERCEPTOR(int, msgsnd, int id, const void* message, size_t size, int flags) {
  if (Thread* t = checked_caller(FR_CALLER())) check_read(t, FR_CALLER(), message, sizeof(long) + size);
  release(g_queues, id);
  return FR_REAL(msgsnd)(id, message, size, flags);
}
FR_INTERCEPTOR(ssize_t, msgrcv, int id, void* message, size_t size, long type, int flags) {
  const ssize_t n = FR_REAL(msgrcv)(id, message, size, type, flags);
  if (n < 0) return n;
  acquire(g_queues, id);
  if (Thread* t = checked_caller(FR_CALLER())) check_write(t, FR_CALLER(), message, sizeof(long) + u64(n));
  return n;
}

FR_INTERCEPTOR(int, semop, int id, sembuf* operations, size_t count) {
  check_operations(FR_CALLER(), operations, count);
  if (may_add(operations, count)) release(g_semaphores, id);
  const bool waits = may_wait(operations, count);
  const int result = FR_REAL(semop)(id, operations, count);
  if (!result && waits) acquire(g_semaphores, id);
  return result;
}
FR_INTERCEPTOR(int, semtimedop, int id, sembuf* operations, size_t count, const timespec* patience) {
  check_operations(FR_CALLER(), operations, count);
  if (may_add(operations, count)) release(g_semaphores, id);
  const bool waits = may_wait(operations, count);
  const int result = FR_REAL(semtimedop)(id, operations, count, patience);
  if (!result && waits) acquire(g_semaphores, id);
  return result;
}

// A queue's descriptor is a file's, but not of a kind that channels tell apart by itself.
FR_INTERCEPTOR(mqd_t, mq_open, const char* name, int flags, mode_t mode, mq_attr* attributes) {
  if (Thread* t = checked_caller(FR_CALLER())) check_read(t, FR_CALLER(), name, length_of(name) + 1);
  const mqd_t queue = FR_REAL(mq_open)(name, flags, mode, attributes);
  if (Thread* t = self(); t && queue >= 0) descriptor_opened(t, queue);
  return queue;
}
FR_INTERCEPTOR(int, mq_close, mqd_t queue) {
  if (Thread* t = self()) descriptor_closed(t, queue);
  return FR_REAL(mq_close)(queue);
}
FR_INTERCEPTOR(int, mq_send, mqd_t queue, const char* message, size_t size, unsigned priority) {
  sending(FR_CALLER(), queue, message, size);
  return FR_REAL(mq_send)(queue, message, size, priority);
}
FR_INTERCEPTOR(int, mq_timedsend, mqd_t queue, const char* message, size_t size, unsigned priority,
               const timespec* deadline) {
  sending(FR_CALLER(), queue, message, size);
  return FR_REAL(mq_timedsend)(queue, message, size, priority, deadline);
}
FR_INTERCEPTOR(ssize_t, mq_receive, mqd_t queue, char* message, size_t size, unsigned* priority) {
  const ssize_t n = FR_REAL(mq_receive)(queue, message, size, priority);
  received(FR_CALLER(), queue, message, priority, n);
  return n;
}
FR_INTERCEPTOR(ssize_t, mq_timedreceive, mqd_t queue, char* message, size_t size, unsigned* priority,
               const timespec* deadline) {
  const ssize_t n = FR_REAL(mq_timedreceive)(queue, message, size, priority, deadline);
  received(FR_CALLER(), queue, message, priority, n);
  return n;
}

// The lock of a stream that the program takes by name; those that the library takes itself order nothing that the program may rely on.
FR_INTERCEPTOR(void, flockfile, FILE* stream) {
  FR_REAL(flockfile)(stream);
  if (Thread* t = syncing_thread())
    lock_acquired(t, reinterpret_cast<uptr>(stream), LockMode::Exclusive, FR_CALLER_PC());
}
FR_INTERCEPTOR(int, ftrylockfile, FILE* stream) {
  const int result = FR_REAL(ftrylockfile)(stream);
  return exclusive_lock(syncing_thread(), stream, result, FR_CALLER_PC());
}
FR_INTERCEPTOR(void, funlockfile, FILE* stream) {
  if (Thread* t = syncing_thread()) lock_releasing(t, reinterpret_cast<uptr>(stream), LockMode::Exclusive);
  FR_REAL(funlockfile)(stream);
}
