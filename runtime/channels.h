// Happens-before through file descriptors.
//
// Model: whoever receives bytes, end of file or readiness comes after those who had sent into the same
// channel by then. A pipe, a socket pair and an eventfd are a channel each. All other sockets share one, and
// so do all named FIFOs, since the two ends of a connection cannot be told from their descriptors. Regular
// files, terminals and devices are no channels. An epoll instance is one: epoll_wait comes after epoll_ctl,
// and after the sends into what it watches.
//
// Another process may have heard from one thread and answer another: what arrives through a channel into which nobody here has sent since the last fork comes from outside,
// and after all that was sent from here into any channel, process-shared semaphore or signal. So does the end of a child.
//
// This is order that the kernel really enforces, only coarser: it never leads to a false alarm, and it may
// hide a race between threads that happen to use the same channel. Traffic through stdio is not seen.
//
// Concurrency: any thread may call any function; `t` is never null.
#pragma once

#include "runtime/thread.h"

namespace footrace {

void descriptor_release(Thread* t, int fd); // before bytes are sent, and before close
void descriptor_acquire(Thread* t, int fd); // after something was received

// What other processes may know, and what only they can have told.
void outside_release(Thread* t);
void outside_acquire(Thread* t);

// `fd` (and `other`, if not negative) is a new channel.
void descriptor_opened(Thread* t, int fd, int other = -1);
// `copy` is now the same as `fd`.
void descriptor_copied(Thread* t, int fd, int copy);
// Before the real close: afterwards another thread may be given the number.
void descriptor_closed(Thread* t, int fd);
// epoll_ctl: `epoll` will tell about `fd`.
void descriptor_watched(Thread* t, int epoll, int fd);
// epoll_wait came back with events.
void descriptor_woken(Thread* t, int epoll);

// While the world is stopped.
void visit_channel_clocks(void (*fn)(void*, Clock&), void* argument);

// Around fork (runtime/fork.cpp), in both processes.
void channels_lock_all();
void channels_unlock_all();

} // namespace footrace
