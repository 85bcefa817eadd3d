#include "runtime/recording_channel.h"

#include "runtime/environment.h"
#include "runtime/modules.h"
#include "runtime/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>

namespace footrace {

u32 g_sent_contexts, g_sent_pcs;

namespace {

constexpr u64 kHighDescriptor = 900;
int g_socket = -1;
u64 g_device, g_inode; // of g_socket: the program may close descriptors that are not its own
SpinLock g_names_lock;
u64 g_sent_modules; // version

bool is_own_socket() {
  struct stat status = {};
  return !sys(SYS_fstat, u64(g_socket), u64(&status)) && status.st_dev == g_device &&
         status.st_ino == g_inode;
}

bool send(const void* bytes, u64 size, int descriptor = -1) {
  iovec part = {const_cast<void*>(bytes), size};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  if (descriptor >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* head = CMSG_FIRSTHDR(&message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    copy_bytes(CMSG_DATA(head), &descriptor, sizeof descriptor);
  }
  if (!is_own_socket()) return give_up_recording("the program has closed the recorder's descriptor"), false;
  i64 n;
  do n = sys(SYS_sendmsg, u64(g_socket), u64(&message), MSG_NOSIGNAL);
  while (n == -EINTR);
  if (n < 0) give_up_recording("the recorder is gone");
  return n >= 0;
}

// Rows of one kind, as many to a message as it takes.
template <class Row> class Rows {
public:
  Rows(RecordingMessage message, u64 first) { head_ = {message, 0, first}; }
  void add(const Row& row) {
    if (head_.count == kMost) flush();
    rows_[head_.count++] = row;
  }
  void flush() {
    if (!head_.count) return;
    send(&head_, sizeof head_ + head_.count * sizeof(Row));
    head_.first += head_.count;
    head_.count = 0;
  }

private:
  static constexpr u32 kMost = 4096 / sizeof(Row); // on small stacks too
  RecordingHead head_;
  Row rows_[kMost];
};

void send_module(const LoadedModule& module) {
  struct {
    RecordingHead head;
    ModuleRow row;
    char path[4096];
  } message = {{RecordingMessage::Module, 1, 0}, {module.base, module.begin, module.end}, {}};
  const u64 length = min(length_of(module.path), sizeof message.path - 1);
  copy_bytes(message.path, module.path, length);
  send(&message, sizeof message - sizeof message.path + length);
}

} // namespace

void give_up_recording(const char* why) {
  if (!__atomic_exchange_n(&g_recording, false, __ATOMIC_RELAXED)) return;
  say("recording stops: ", why, "; what came before is in the trace, and the program goes on");
}

bool recorder_is_there() {
  pollfd one = {g_socket, 0, 0};
  return sys(SYS_poll, u64(&one), 1, 0) <= 0 || !(one.revents & (POLLHUP | POLLERR | POLLNVAL));
}

bool open_recording_channel(const char* path) {
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  const u64 length = length_of(path);
  if (length >= sizeof address.sun_path) return false;
  copy_bytes(address.sun_path, path, length);
  const i64 low = sys(SYS_socket, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (low < 0) return false;
  const i64 high = sys(SYS_fcntl, u64(low), F_DUPFD_CLOEXEC, kHighDescriptor);
  if (high >= 0) sys(SYS_close, u64(low));
  g_socket = int(high >= 0 ? high : low);
  struct stat status = {};
  if (!sys(SYS_connect, u64(g_socket), u64(&address), sizeof address) &&
      !sys(SYS_fstat, u64(g_socket), u64(&status))) {
    g_device = status.st_dev, g_inode = status.st_ino;
    g_sent_contexts = g_sent_pcs = 0;
    g_sent_modules = 0;
    return true;
  }
  sys(SYS_close, u64(g_socket));
  return false;
}

void close_recording_channel() { sys(SYS_close, u64(g_socket)); }

bool tell_recorder(RecordingMessage message, u64 first, int descriptor) {
  const RecordingHead head = {message, 0, first};
  return send(&head, sizeof head, descriptor);
}

void send_names() {
  SpinGuard guard(g_names_lock);
  const u32 contexts = context_count(), pcs = pc_site_count();
  Rows<ContextRow> nodes(RecordingMessage::Contexts, g_sent_contexts + 1);
  for (u32 id = g_sent_contexts + 1; id <= contexts; ++id) {
    ContextId parent;
    const uptr pc = context_node(id, &parent);
    nodes.add({pc, parent});
  }
  nodes.flush();
  __atomic_store_n(&g_sent_contexts, contexts, __ATOMIC_RELEASE);
  Rows<PcRow> sites(RecordingMessage::Pcs, g_sent_pcs + 1);
  for (u32 id = g_sent_pcs + 1; id <= pcs; ++id) {
    const PcSite& site = *pc_site_record(kPcSiteId | id);
    PcRow row = {site.pc, u32(site.kind), {}};
    if (site.function)
      copy_bytes(row.function, site.function, min(length_of(site.function), sizeof row.function - 1));
    sites.add(row);
  }
  sites.flush();
  __atomic_store_n(&g_sent_pcs, pcs, __ATOMIC_RELEASE);
}

void send_modules(u64 version) {
  SpinGuard guard(g_names_lock);
  if (version == g_sent_modules) return;
  g_sent_modules = version;
  for (u32 i = 0; i < module_count(); ++i)
    if (module_at(i).loaded) send_module(module_at(i));
}

} // namespace footrace
