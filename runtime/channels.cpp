#include "runtime/channels.h"

#include "runtime/sync.h"

#include <sys/stat.h>
#include <sys/syscall.h>

namespace footrace {
namespace {

using ChannelIndex = u32;
constexpr ChannelIndex kNone = 0, kSockets = 1, kFifos = 2, kEveryEpoll = 3, kFirstOwn = 4;
constexpr u32 kMost = 1 << 20; // descriptors, and channels

struct Channel {
  SyncToken sync;
  u32 references;       // descriptors; the shared channels count none
  ChannelIndex watcher; // the epoll that watches it; kEveryEpoll when there are several
  ChannelIndex next_free;
};

// Recycled, never unmapped: a thread that uses a descriptor while another closes it meets a channel of
// somebody else at worst.
struct Tables {
  SpinLock lock;
  Channel* channels = nullptr;
  ChannelIndex* of_descriptor = nullptr;
  ChannelIndex used = kFirstOwn, free = kNone;
};
Tables g;

bool make_tables_locked() {
  if (g.channels) return true;
  uptr channels = map_memory(kMost * sizeof(Channel)), descriptors = map_memory(kMost * sizeof(ChannelIndex));
  if (!channels || !descriptors) return false;
  g.of_descriptor = reinterpret_cast<ChannelIndex*>(descriptors);
  __atomic_store_n(&g.channels, reinterpret_cast<Channel*>(channels), __ATOMIC_RELEASE);
  return true;
}

ChannelIndex* entry_of(int fd) { return u32(fd) < kMost && g.channels ? &g.of_descriptor[fd] : nullptr; }

void drop_locked(ChannelIndex index) {
  if (index < kFirstOwn) return;
  Channel& c = g.channels[index];
  if (--c.references) return;
  c.watcher = kNone;
  {
    SpinGuard guard(c.sync.lock);
    c.sync.L.clear();
  }
  c.next_free = g.free;
  g.free = index;
}

void assign_locked(int fd, ChannelIndex index) {
  ChannelIndex* entry = entry_of(fd);
  if (!entry) return;
  if (index >= kFirstOwn) ++g.channels[index].references;
  drop_locked(*entry);
  __atomic_store_n(entry, index, __ATOMIC_RELEASE);
}

// Descriptors that were opened where nobody looked: inherited, or by a library. Not remembered, since they
// may also be closed there.
ChannelIndex classify(int fd) {
  struct stat about = {};
  if (sys(SYS_fstat, u64(fd), u64(&about)) < 0) return kNone;
  return S_ISSOCK(about.st_mode) ? kSockets : S_ISFIFO(about.st_mode) ? kFifos : kNone;
}

Channel* channel_of(Thread* t, int fd) {
  if (FR_UNLIKELY(!__atomic_load_n(&g.channels, __ATOMIC_ACQUIRE))) {
    Critical critical(t);
    SpinGuard guard(g.lock);
    if (!make_tables_locked()) return nullptr;
  }
  ChannelIndex* entry = entry_of(fd);
  ChannelIndex index = entry ? __atomic_load_n(entry, __ATOMIC_ACQUIRE) : kNone;
  if (!index) index = classify(fd);
  return index ? &g.channels[index] : nullptr;
}

} // namespace

void descriptor_release(Thread* t, int fd) {
  Channel* c = channel_of(t, fd);
  if (!c) return;
  token_release(t, c->sync);
  ChannelIndex watcher = __atomic_load_n(&c->watcher, __ATOMIC_ACQUIRE);
  if (watcher) token_release(t, g.channels[watcher].sync);
}

void descriptor_acquire(Thread* t, int fd) {
  if (Channel* c = channel_of(t, fd)) token_acquire(t, c->sync);
}

void descriptor_opened(Thread* t, int fd, int other) {
  Critical critical(t);
  SpinGuard guard(g.lock);
  if (!make_tables_locked()) return;
  ChannelIndex index = g.free;
  if (index)
    g.free = g.channels[index].next_free;
  else if (g.used < kMost)
    index = g.used++;
  assign_locked(fd, index);
  if (other >= 0) assign_locked(other, index);
}

void descriptor_copied(Thread* t, int fd, int copy) {
  if (fd == copy) return;
  Critical critical(t);
  SpinGuard guard(g.lock);
  if (ChannelIndex* entry = entry_of(fd)) assign_locked(copy, *entry);
}

void descriptor_closed(Thread* t, int fd) {
  ChannelIndex* entry = entry_of(fd);
  if (!entry || !__atomic_load_n(entry, __ATOMIC_RELAXED)) return;
  Critical critical(t);
  SpinGuard guard(g.lock);
  assign_locked(fd, kNone);
}

void descriptor_watched(Thread* t, int epoll, int fd) {
  Channel* c = channel_of(t, fd);
  ChannelIndex* entry = entry_of(epoll);
  if (!c || !entry || !*entry) return;
  Critical critical(t);
  SpinGuard guard(g.lock);
  ChannelIndex watcher = !c->watcher || c->watcher == *entry ? *entry : kEveryEpoll;
  __atomic_store_n(&c->watcher, watcher, __ATOMIC_RELEASE);
}

void descriptor_woken(Thread* t, int epoll) {
  descriptor_acquire(t, epoll);
  if (g.channels) token_acquire(t, g.channels[kEveryEpoll].sync);
}

void channels_lock_all() { g.lock.lock(); }
void channels_unlock_all() { g.lock.unlock(); }

} // namespace footrace
