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
  u32 sent_in; // generation in which somebody here sent into it
};

// Recycled, never unmapped: a thread that uses a descriptor while another closes it meets a channel of
// somebody else at worst.
// What a number meant when it was last seen being opened. It may have been closed and opened again where
// nobody looked (fclose, or inside a library): it still means the same file if the inode is the same.
struct Entry {
  u64 inode;
  ChannelIndex channel;
};

struct Tables {
  SpinLock lock;
  Channel* channels = nullptr;
  Entry* descriptors = nullptr;
  ChannelIndex used = kFirstOwn, free = kNone;
  u32 generation = 1; // of forks
};
Tables g;
[[clang::no_destroy]] SyncToken g_outside; // what other processes may know

bool make_tables_locked() {
  if (g.channels) return true;
  uptr channels = map_memory(kMost * sizeof(Channel)), descriptors = map_memory(kMost * sizeof(Entry));
  if (!channels || !descriptors) return false;
  g.descriptors = reinterpret_cast<Entry*>(descriptors);
  __atomic_store_n(&g.channels, reinterpret_cast<Channel*>(channels), __ATOMIC_RELEASE);
  return true;
}

Entry* entry_of(int fd) { return u32(fd) < kMost && g.channels ? &g.descriptors[fd] : nullptr; }

struct stat about(int fd) {
  struct stat result = {};
  if (sys(SYS_fstat, u64(fd), u64(&result)) < 0) result = {};
  return result;
}

void drop_locked(ChannelIndex index) {
  if (index < kFirstOwn) return;
  Channel& c = g.channels[index];
  if (--c.references) return;
  c.watcher = kNone;
  c.sent_in = 0;
  {
    SpinGuard guard(c.sync.lock);
    c.sync.L.clear();
  }
  c.next_free = g.free;
  g.free = index;
}

void assign_locked(int fd, ChannelIndex index, u64 inode) {
  Entry* entry = entry_of(fd);
  if (!entry) return;
  if (index >= kFirstOwn) ++g.channels[index].references;
  drop_locked(entry->channel);
  __atomic_store_n(&entry->inode, inode, __ATOMIC_RELAXED);
  __atomic_store_n(&entry->channel, index, __ATOMIC_RELEASE);
}

ChannelIndex index_of(int fd) {
  struct stat now = about(fd);
  if (Entry* entry = entry_of(fd)) {
    ChannelIndex index = __atomic_load_n(&entry->channel, __ATOMIC_ACQUIRE);
    if (index && __atomic_load_n(&entry->inode, __ATOMIC_RELAXED) == now.st_ino) return index;
  }
  return S_ISSOCK(now.st_mode) ? kSockets : S_ISFIFO(now.st_mode) ? kFifos : kNone;
}

Channel* channel_of(Thread* t, int fd) {
  if (FR_UNLIKELY(!__atomic_load_n(&g.channels, __ATOMIC_ACQUIRE))) {
    Critical critical(t);
    SpinGuard guard(g.lock);
    if (!make_tables_locked()) return nullptr;
  }
  ChannelIndex index = index_of(fd);
  return index ? &g.channels[index] : nullptr;
}

} // namespace

void descriptor_release(Thread* t, int fd) {
  Channel* c = channel_of(t, fd);
  if (!c) return;
  __atomic_store_n(&c->sent_in, g.generation, __ATOMIC_RELAXED);
  token_release(t, c->sync);
  outside_release(t);
  ChannelIndex watcher = __atomic_load_n(&c->watcher, __ATOMIC_ACQUIRE);
  if (watcher) token_release(t, g.channels[watcher].sync);
}

void descriptor_acquire(Thread* t, int fd) {
  Channel* c = channel_of(t, fd);
  if (!c) return;
  if (__atomic_load_n(&c->sent_in, __ATOMIC_RELAXED) != g.generation) outside_acquire(t);
  token_acquire(t, c->sync);
}

void outside_release(Thread* t) { token_release(t, g_outside); }
void outside_acquire(Thread* t) { token_acquire(t, g_outside); }

void descriptor_opened(Thread* t, int fd, int other) {
  u64 inode = about(fd).st_ino, other_inode = other >= 0 ? about(other).st_ino : 0;
  Critical critical(t);
  SpinGuard guard(g.lock);
  if (!make_tables_locked()) return;
  ChannelIndex index = g.free;
  if (index)
    g.free = g.channels[index].next_free;
  else if (g.used < kMost)
    index = g.used++;
  assign_locked(fd, index, inode);
  if (other >= 0) assign_locked(other, index, other_inode);
}

void descriptor_copied(Thread* t, int fd, int copy) {
  if (fd == copy) return;
  Critical critical(t);
  SpinGuard guard(g.lock);
  if (Entry* entry = entry_of(fd)) assign_locked(copy, entry->channel, entry->inode);
}

void descriptor_closed(Thread* t, int fd) {
  Entry* entry = entry_of(fd);
  if (!entry || !__atomic_load_n(&entry->channel, __ATOMIC_RELAXED)) return;
  Critical critical(t);
  SpinGuard guard(g.lock);
  assign_locked(fd, kNone, 0);
}

void descriptor_watched(Thread* t, int epoll, int fd) {
  Channel* watched = channel_of(t, fd);
  ChannelIndex by = index_of(epoll);
  if (!watched || !by) return;
  Critical critical(t);
  SpinGuard guard(g.lock);
  if (watched->watcher && watched->watcher != by) by = kEveryEpoll;
  __atomic_store_n(&watched->watcher, by, __ATOMIC_RELEASE);
}

void descriptor_woken(Thread* t, int epoll) {
  descriptor_acquire(t, epoll);
  if (g.channels) token_acquire(t, g.channels[kEveryEpoll].sync);
}

void visit_channel_clocks(void (*fn)(void*, Clock&), void* argument) {
  fn(argument, g_outside.L);
  if (!g.channels) return;
  for (ChannelIndex index = 0; index < g.used; ++index) fn(argument, g.channels[index].sync.L);
}

void channels_lock_all() { g.lock.lock(); }
void channels_unlock_all() {
  ++g.generation;
  g.lock.unlock();
}

} // namespace footrace
