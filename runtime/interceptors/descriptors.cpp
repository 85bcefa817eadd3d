// read, write and everything else that moves bytes or readiness through descriptors: the order it brings
// (runtime/channels.h) and the buffers it reads or fills on the caller's behalf. All of these may block, and
// a thread may be cancelled inside the real function, so nothing is held around it.
#include "runtime/channels.h"
#include "runtime/interceptors/caller.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

using namespace footrace;

namespace {

struct Ends {
  int fd[2];
};

void sending(int fd) {
  if (Thread* t = self()) descriptor_release(t, fd);
}
// End of file counts: it comes after the close of the other end.
void received(int fd, i64 result) {
  if (result < 0) return;
  if (Thread* t = self()) descriptor_acquire(t, fd);
}

void check_filled(Caller caller, const void* buffer, i64 size) {
  if (size <= 0) return;
  if (Thread* t = checked_caller(caller)) check_write(t, caller, buffer, u64(size));
}
void check_sent(Caller caller, const void* buffer, u64 size) {
  if (!size) return;
  if (Thread* t = checked_caller(caller)) check_read(t, caller, buffer, size);
}
// The other side's address, of which no more than `room` bytes were stored, and its length.
void check_address(Caller caller, const sockaddr* address, const socklen_t* length, socklen_t room) {
  if (!address || !length) return;
  check_filled(caller, length, sizeof *length);
  check_filled(caller, address, min(*length, room));
}
void check_ends(Caller caller, const int* ends, int result) {
  if (!result) check_filled(caller, ends, 2 * sizeof *ends);
}
// The first `bytes` bytes of the vectors.
template <class Check> void for_each_part(const iovec* vectors, u64 count, u64 bytes, Check check) {
  for (u64 i = 0; i < count && bytes; ++i) {
    u64 part = min<u64>(vectors[i].iov_len, bytes);
    bytes -= part;
    check(vectors[i].iov_base, part);
  }
}
void check_filled_parts(Caller caller, const iovec* vectors, u64 count, i64 bytes) {
  if (bytes > 0)
    for_each_part(vectors, count, u64(bytes), [=](void* at, u64 n) { check_filled(caller, at, i64(n)); });
}
void check_sent_parts(Caller caller, const iovec* vectors, u64 count) {
  for_each_part(vectors, count, ~0ull, [=](void* at, u64 n) { check_sent(caller, at, n); });
}

} // namespace

FR_INTERCEPTOR(ssize_t, read, int fd, void* buffer, size_t size) {
  ssize_t n = FR_REAL(read)(fd, buffer, size);
  received(fd, n);
  check_filled(FR_CALLER(), buffer, n);
  return n;
}
FR_INTERCEPTOR(ssize_t, __read_chk, int fd, void* buffer, size_t size, size_t room) {
  ssize_t n = FR_REAL(__read_chk)(fd, buffer, size, room);
  received(fd, n);
  check_filled(FR_CALLER(), buffer, n);
  return n;
}
FR_INTERCEPTOR(ssize_t, readv, int fd, const iovec* vectors, int count) {
  ssize_t n = FR_REAL(readv)(fd, vectors, count);
  received(fd, n);
  check_filled_parts(FR_CALLER(), vectors, u64(count), n);
  return n;
}
FR_INTERCEPTOR(ssize_t, pread, int fd, void* buffer, size_t size, off_t offset) {
  ssize_t n = FR_REAL(pread)(fd, buffer, size, offset);
  check_filled(FR_CALLER(), buffer, n);
  return n;
}
FR_INTERCEPTOR(ssize_t, pread64, int fd, void* buffer, size_t size, off_t offset) {
  ssize_t n = FR_REAL(pread64)(fd, buffer, size, offset);
  check_filled(FR_CALLER(), buffer, n);
  return n;
}
FR_INTERCEPTOR(ssize_t, preadv, int fd, const iovec* vectors, int count, off_t offset) {
  ssize_t n = FR_REAL(preadv)(fd, vectors, count, offset);
  check_filled_parts(FR_CALLER(), vectors, u64(count), n);
  return n;
}
FR_INTERCEPTOR(ssize_t, preadv64, int fd, const iovec* vectors, int count, off_t offset) {
  ssize_t n = FR_REAL(preadv64)(fd, vectors, count, offset);
  check_filled_parts(FR_CALLER(), vectors, u64(count), n);
  return n;
}
FR_INTERCEPTOR(ssize_t, preadv2, int fd, const iovec* vectors, int count, off_t offset, int flags) {
  ssize_t n = FR_REAL(preadv2)(fd, vectors, count, offset, flags);
  if (offset == -1) received(fd, n);
  check_filled_parts(FR_CALLER(), vectors, u64(count), n);
  return n;
}
FR_INTERCEPTOR(ssize_t, process_vm_readv, pid_t process, const iovec* vectors, unsigned long count,
               const iovec* there, unsigned long there_count, unsigned long flags) {
  ssize_t n = FR_REAL(process_vm_readv)(process, vectors, count, there, there_count, flags);
  check_filled_parts(FR_CALLER(), vectors, count, n);
  return n;
}
FR_INTERCEPTOR(ssize_t, recv, int fd, void* buffer, size_t size, int flags) {
  ssize_t n = FR_REAL(recv)(fd, buffer, size, flags);
  received(fd, n);
  check_filled(FR_CALLER(), buffer, min<i64>(n, i64(size))); // MSG_TRUNC tells the whole length
  return n;
}
FR_INTERCEPTOR(ssize_t, __recv_chk, int fd, void* buffer, size_t size, size_t room, int flags) {
  ssize_t n = FR_REAL(__recv_chk)(fd, buffer, size, room, flags);
  received(fd, n);
  check_filled(FR_CALLER(), buffer, min<i64>(n, i64(size)));
  return n;
}
FR_INTERCEPTOR(ssize_t, recvfrom, int fd, void* buffer, size_t size, int flags, sockaddr* from,
               socklen_t* length) {
  const socklen_t room = from && length ? *length : 0;
  ssize_t n = FR_REAL(recvfrom)(fd, buffer, size, flags, from, length);
  received(fd, n);
  if (n >= 0) check_address(FR_CALLER(), from, length, room);
  check_filled(FR_CALLER(), buffer, min<i64>(n, i64(size)));
  return n;
}
FR_INTERCEPTOR(ssize_t, recvmsg, int fd, msghdr* message, int flags) {
  ssize_t n = FR_REAL(recvmsg)(fd, message, flags);
  received(fd, n);
  if (n > 0) check_filled_parts(FR_CALLER(), message->msg_iov, message->msg_iovlen, n);
  return n;
}
FR_INTERCEPTOR(int, recvmmsg, int fd, mmsghdr* messages, unsigned count, int flags, timespec* timeout) {
  int n = FR_REAL(recvmmsg)(fd, messages, count, flags, timeout);
  received(fd, n);
  for (int i = 0; i < n; ++i)
    check_filled_parts(FR_CALLER(), messages[i].msg_hdr.msg_iov, messages[i].msg_hdr.msg_iovlen,
                       messages[i].msg_len);
  return n;
}

FR_INTERCEPTOR(ssize_t, write, int fd, const void* buffer, size_t size) {
  check_sent(FR_CALLER(), buffer, size);
  sending(fd);
  return FR_REAL(write)(fd, buffer, size);
}
FR_INTERCEPTOR(ssize_t, writev, int fd, const iovec* vectors, int count) {
  if (count > 0) check_sent_parts(FR_CALLER(), vectors, u64(count));
  sending(fd);
  return FR_REAL(writev)(fd, vectors, count);
}
FR_INTERCEPTOR(ssize_t, pwrite, int fd, const void* buffer, size_t size, off_t offset) {
  check_sent(FR_CALLER(), buffer, size);
  return FR_REAL(pwrite)(fd, buffer, size, offset);
}
FR_INTERCEPTOR(ssize_t, pwrite64, int fd, const void* buffer, size_t size, off_t offset) {
  check_sent(FR_CALLER(), buffer, size);
  return FR_REAL(pwrite64)(fd, buffer, size, offset);
}
FR_INTERCEPTOR(ssize_t, pwritev, int fd, const iovec* vectors, int count, off_t offset) {
  if (count > 0) check_sent_parts(FR_CALLER(), vectors, u64(count));
  return FR_REAL(pwritev)(fd, vectors, count, offset);
}
FR_INTERCEPTOR(ssize_t, pwritev64, int fd, const iovec* vectors, int count, off_t offset) {
  if (count > 0) check_sent_parts(FR_CALLER(), vectors, u64(count));
  return FR_REAL(pwritev64)(fd, vectors, count, offset);
}
FR_INTERCEPTOR(ssize_t, pwritev2, int fd, const iovec* vectors, int count, off_t offset, int flags) {
  if (count > 0) check_sent_parts(FR_CALLER(), vectors, u64(count));
  if (offset == -1) sending(fd);
  return FR_REAL(pwritev2)(fd, vectors, count, offset, flags);
}
FR_INTERCEPTOR(ssize_t, process_vm_writev, pid_t process, const iovec* vectors, unsigned long count,
               const iovec* there, unsigned long there_count, unsigned long flags) {
  check_sent_parts(FR_CALLER(), vectors, count);
  return FR_REAL(process_vm_writev)(process, vectors, count, there, there_count, flags);
}
FR_INTERCEPTOR(ssize_t, send, int fd, const void* buffer, size_t size, int flags) {
  check_sent(FR_CALLER(), buffer, size);
  sending(fd);
  return FR_REAL(send)(fd, buffer, size, flags);
}
FR_INTERCEPTOR(ssize_t, sendto, int fd, const void* buffer, size_t size, int flags, const sockaddr* to,
               socklen_t length) {
  check_sent(FR_CALLER(), buffer, size);
  sending(fd);
  return FR_REAL(sendto)(fd, buffer, size, flags, to, length);
}
FR_INTERCEPTOR(ssize_t, sendmsg, int fd, const msghdr* message, int flags) {
  check_sent_parts(FR_CALLER(), message->msg_iov, message->msg_iovlen);
  sending(fd);
  return FR_REAL(sendmsg)(fd, message, flags);
}
FR_INTERCEPTOR(int, sendmmsg, int fd, mmsghdr* messages, unsigned count, int flags) {
  for (unsigned i = 0; i < count; ++i)
    check_sent_parts(FR_CALLER(), messages[i].msg_hdr.msg_iov, messages[i].msg_hdr.msg_iovlen);
  sending(fd);
  return FR_REAL(sendmmsg)(fd, messages, count, flags);
}
FR_INTERCEPTOR(ssize_t, splice, int from, off_t* from_at, int to, off_t* to_at, size_t size, unsigned flags) {
  sending(to);
  ssize_t n = FR_REAL(splice)(from, from_at, to, to_at, size, flags);
  received(from, n);
  return n;
}

FR_INTERCEPTOR(int, pipe, int* ends) {
  int result = FR_REAL(pipe)(ends);
  check_ends(FR_CALLER(), ends, result);
  if (Thread* t = self(); t && result == 0) descriptor_opened(t, ends[0], ends[1]);
  return result;
}
FR_INTERCEPTOR(int, pipe2, int* ends, int flags) {
  int result = FR_REAL(pipe2)(ends, flags);
  check_ends(FR_CALLER(), ends, result);
  if (Thread* t = self(); t && result == 0) descriptor_opened(t, ends[0], ends[1]);
  return result;
}
FR_INTERCEPTOR(int, socketpair, int domain, int type, int protocol, int* ends) {
  int result = FR_REAL(socketpair)(domain, type, protocol, ends);
  check_ends(FR_CALLER(), ends, result);
  if (Thread* t = self(); t && result == 0) descriptor_opened(t, ends[0], ends[1]);
  return result;
}

// Connections: sockets share a channel, so both sides meet there.
FR_INTERCEPTOR(int, connect, int fd, const sockaddr* to, socklen_t length) {
  check_sent(FR_CALLER(), to, length);
  sending(fd);
  return FR_REAL(connect)(fd, to, length);
}
FR_INTERCEPTOR(int, accept, int fd, sockaddr* from, socklen_t* length) {
  const socklen_t room = from && length ? *length : 0;
  int made = FR_REAL(accept)(fd, from, length);
  received(fd, made);
  if (made >= 0) check_address(FR_CALLER(), from, length, room);
  return made;
}
FR_INTERCEPTOR(int, accept4, int fd, sockaddr* from, socklen_t* length, int flags) {
  const socklen_t room = from && length ? *length : 0;
  int made = FR_REAL(accept4)(fd, from, length, flags);
  received(fd, made);
  if (made >= 0) check_address(FR_CALLER(), from, length, room);
  return made;
}
FR_INTERCEPTOR(int, shutdown, int fd, int how) {
  sending(fd);
  return FR_REAL(shutdown)(fd, how);
}

FR_INTERCEPTOR(int, close, int fd) {
  if (Thread* t = self()) {
    descriptor_release(t, fd);
    descriptor_closed(t, fd);
  }
  return FR_REAL(close)(fd);
}
namespace {

// A descriptor that is made a copy of another one is meant to be used in its place: standard error, too.
void copied(int fd, int copy) {
  remember_standard_stream(copy);
  if (Thread* t = self(); t && copy >= 0) descriptor_copied(t, fd, copy);
}

} // namespace

FR_INTERCEPTOR(int, dup, int fd) {
  int copy = FR_REAL(dup)(fd);
  copied(fd, copy);
  return copy;
}
FR_INTERCEPTOR(int, dup2, int fd, int wanted) {
  int copy = FR_REAL(dup2)(fd, wanted);
  copied(fd, copy);
  return copy;
}
FR_INTERCEPTOR(int, dup3, int fd, int wanted, int flags) {
  int copy = FR_REAL(dup3)(fd, wanted, flags);
  copied(fd, copy);
  return copy;
}
FR_INTERCEPTOR(FILE*, freopen, const char* path, const char* mode, FILE* stream) {
  FILE* opened = FR_REAL(freopen)(path, mode, stream);
  if (opened) remember_standard_stream(opened->_fileno);
  return opened;
}
FR_INTERCEPTOR(FILE*, freopen64, const char* path, const char* mode, FILE* stream) {
  FILE* opened = FR_REAL(freopen64)(path, mode, stream);
  if (opened) remember_standard_stream(opened->_fileno);
  return opened;
}
// The third argument is an int, a pointer or absent; all are passed on in one register.
FR_INTERCEPTOR(int, fcntl, int fd, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void* argument = va_arg(arguments, void*);
  va_end(arguments);
  int result = FR_REAL(fcntl)(fd, command, argument);
  if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) copied(fd, result);
  return result;
}
FR_INTERCEPTOR(int, fcntl64, int fd, int command, ...) {
  va_list arguments;
  va_start(arguments, command);
  void* argument = va_arg(arguments, void*);
  va_end(arguments);
  int result = FR_REAL(fcntl64)(fd, command, argument);
  if (command == F_DUPFD || command == F_DUPFD_CLOEXEC) copied(fd, result);
  return result;
}

FR_INTERCEPTOR(int, eventfd, unsigned start, int flags) {
  int fd = FR_REAL(eventfd)(start, flags);
  if (Thread* t = self(); t && fd >= 0) descriptor_opened(t, fd);
  return fd;
}
FR_INTERCEPTOR(int, eventfd_read, int fd, eventfd_t* value) {
  int result = FR_REAL(eventfd_read)(fd, value);
  received(fd, result);
  check_filled(FR_CALLER(), value, result == 0 ? i64(sizeof *value) : 0);
  return result;
}
FR_INTERCEPTOR(int, eventfd_write, int fd, eventfd_t value) {
  sending(fd);
  return FR_REAL(eventfd_write)(fd, value);
}

namespace {

// Readiness comes after the send that caused it.
void polled(const pollfd* list, nfds_t count, int ready) {
  Thread* t = self();
  if (!t || ready <= 0) return;
  for (nfds_t i = 0; i < count; ++i)
    if (list[i].fd >= 0 && list[i].revents & (POLLIN | POLLPRI | POLLHUP | POLLRDHUP))
      descriptor_acquire(t, list[i].fd);
}
void selected(int count, const fd_set* readable, int ready) {
  Thread* t = self();
  if (!t || ready <= 0 || !readable) return;
  constexpr int kBits = 8 * sizeof(fd_mask);
  const fd_mask* words = reinterpret_cast<const fd_mask*>(readable); // may be longer than an fd_set
  for (int fd = 0; fd < count; ++fd)
    if (words[fd / kBits] >> (fd % kBits) & 1) descriptor_acquire(t, fd);
}
void woken(Caller caller, int epoll, const epoll_event* events, int ready) {
  Thread* t = self();
  if (!t || ready <= 0) return;
  descriptor_woken(t, epoll);
  check_filled(caller, events, i64(sizeof *events) * ready);
}

} // namespace

// The kernel reads what is asked for and writes `revents`.
FR_INTERCEPTOR(int, poll, pollfd* list, nfds_t count, int timeout) {
  int ready = FR_REAL(poll)(list, count, timeout);
  polled(list, count, ready);
  return ready;
}
FR_INTERCEPTOR(int, __poll_chk, pollfd* list, nfds_t count, int timeout, size_t room) {
  int ready = FR_REAL(__poll_chk)(list, count, timeout, room);
  polled(list, count, ready);
  return ready;
}
FR_INTERCEPTOR(int, ppoll, pollfd* list, nfds_t count, const timespec* timeout, const sigset_t* mask) {
  int ready = FR_REAL(ppoll)(list, count, timeout, mask);
  polled(list, count, ready);
  return ready;
}
FR_INTERCEPTOR(int, select, int count, fd_set* readable, fd_set* writable, fd_set* special,
               timeval* timeout) {
  int ready = FR_REAL(select)(count, readable, writable, special, timeout);
  selected(count, readable, ready);
  return ready;
}
FR_INTERCEPTOR(int, pselect, int count, fd_set* readable, fd_set* writable, fd_set* special,
               const timespec* timeout, const sigset_t* mask) {
  int ready = FR_REAL(pselect)(count, readable, writable, special, timeout, mask);
  selected(count, readable, ready);
  return ready;
}

FR_INTERCEPTOR(int, epoll_create, int size) {
  int fd = FR_REAL(epoll_create)(size);
  if (Thread* t = self(); t && fd >= 0) descriptor_opened(t, fd);
  return fd;
}
FR_INTERCEPTOR(int, epoll_create1, int flags) {
  int fd = FR_REAL(epoll_create1)(flags);
  if (Thread* t = self(); t && fd >= 0) descriptor_opened(t, fd);
  return fd;
}
FR_INTERCEPTOR(int, epoll_ctl, int epoll, int operation, int fd, epoll_event* event) {
  if (operation != EPOLL_CTL_DEL && event) check_sent(FR_CALLER(), event, sizeof *event);
  if (Thread* t = self()) {
    if (operation != EPOLL_CTL_DEL) descriptor_watched(t, epoll, fd);
    descriptor_release(t, epoll);
  }
  return FR_REAL(epoll_ctl)(epoll, operation, fd, event);
}
FR_INTERCEPTOR(int, epoll_wait, int epoll, epoll_event* events, int most, int timeout) {
  int ready = FR_REAL(epoll_wait)(epoll, events, most, timeout);
  woken(FR_CALLER(), epoll, events, ready);
  return ready;
}
FR_INTERCEPTOR(int, epoll_pwait, int epoll, epoll_event* events, int most, int timeout,
               const sigset_t* mask) {
  int ready = FR_REAL(epoll_pwait)(epoll, events, most, timeout, mask);
  woken(FR_CALLER(), epoll, events, ready);
  return ready;
}
FR_INTERCEPTOR(int, epoll_pwait2, int epoll, epoll_event* events, int most, const timespec* timeout,
               const sigset_t* mask) {
  int ready = FR_REAL(epoll_pwait2)(epoll, events, most, timeout, mask);
  woken(FR_CALLER(), epoll, events, ready);
  return ready;
}
