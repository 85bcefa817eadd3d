#include "record/recorder.h"

#include "record/recorded_process.h"

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <poll.h>
#include <sstream>
#include <sys/socket.h>
#include <sys/un.h>
#include <thread>
#include <unistd.h>

namespace footrace::record {
namespace {

constexpr int kPauseMs = 1;

std::string command_of(int process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/cmdline", std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  std::string command = text.str();
  while (command.ends_with('\0')) command.pop_back();
  for (char& c : command)
    if (!c) c = ' ';
  return command;
}

struct Connection {
  int socket = -1;
  bool is_open = true;
  std::string path;
  int process = 0;
  std::unique_ptr<RecordedProcess> recorded; // null: its file cannot be written
  std::string error;
};

} // namespace

struct Recorder::State {
  int listener = -1;
  std::string output;
  std::atomic<bool> is_over{false};
  std::thread thread;
  std::vector<Connection> connections;
  std::vector<char> buffer = std::vector<char>(kMostMessageBytes);

  void run();
  void accept_all();
  void open(Connection& c);
  bool receive(Connection& c);
  bool serve(Connection& c);
  void close_connection(Connection& c, std::string_view why);
};

Recorder::Recorder() : state_(std::make_unique<State>()) {}

Recorder::~Recorder() {
  if (state_->thread.joinable()) (void)finish();
  if (state_->listener >= 0) close(state_->listener);
}

std::string Recorder::start(const std::string& socket_path, const std::string& output) {
  State& s = *state_;
  s.output = output;
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  if (socket_path.size() >= sizeof address.sun_path)
    return "the name of the recorder's socket is too long: " + socket_path + "; set TMPDIR to a shorter path";
  std::memcpy(address.sun_path, socket_path.data(), socket_path.size());
  s.listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (s.listener < 0 || bind(s.listener, reinterpret_cast<sockaddr*>(&address), sizeof address) ||
      listen(s.listener, 128))
    return "cannot make the recorder's socket " + socket_path + ": " + strerror(errno);
  // Signals are for the thread that waits for the program.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before);
  s.thread = std::thread([&s] { s.run(); });
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return {};
}

std::vector<RecordedFile> Recorder::finish() {
  state_->is_over = true;
  state_->thread.join();
  std::vector<RecordedFile> files;
  for (const Connection& c : state_->connections) {
    RecordedFile file = {.path = c.path, .error = c.error, .process = c.process};
    if (c.recorded) {
      const TraceWriter& writer = c.recorded->writer();
      if (file.error.empty()) file.error = writer.error();
      file.events = writer.events(), file.bytes = writer.bytes();
      file.is_recorded = c.recorded->is_mapped();
      file.is_complete = c.recorded->has_said_bye();
    }
    files.push_back(std::move(file));
  }
  return files;
}

void Recorder::State::run() {
  for (bool last = false;;) {
    last = is_over; // before looking: whatever the program did is there by now
    accept_all();
    bool was_something = false;
    for (Connection& c : connections) was_something |= c.is_open && serve(c);
    if (was_something) continue;
    if (last) break;
    poll(nullptr, 0, kPauseMs);
  }
  for (Connection& c : connections)
    if (c.is_open) close_connection(c, "the process was still running when the recorded program had ended");
}

void Recorder::State::accept_all() {
  for (;;) {
    const int socket = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (socket < 0) return;
    Connection& c = connections.emplace_back();
    c.socket = socket;
    open(c);
  }
}

void Recorder::State::open(Connection& c) {
  ucred peer = {};
  socklen_t size = sizeof peer;
  if (!getsockopt(c.socket, SOL_SOCKET, SO_PEERCRED, &peer, &size)) c.process = peer.pid;
  c.path = output;
  if (connections.size() > 1) c.path += "." + std::to_string(c.process);
  // A program may replace itself by another one.
  for (u32 again = 2;; ++again) {
    bool is_taken = false;
    for (const Connection& other : connections) is_taken |= &other != &c && other.path == c.path;
    if (!is_taken) break;
    c.path = output + "." + std::to_string(c.process) + "." + std::to_string(again);
  }
  if (auto writer = TraceWriter::create(c.path, {}, c.error))
    c.recorded = std::make_unique<RecordedProcess>(std::move(writer), command_of(c.process));
  else
    close_connection(c, {}); // or the process would wait for room
}

// One message. False: there is none now, or the process is gone.
bool Recorder::State::receive(Connection& c) {
  iovec part = {buffer.data(), buffer.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message = {};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  const ssize_t n = recvmsg(c.socket, &message, MSG_CMSG_CLOEXEC);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return false;
  if (n <= 0) {
    c.is_open = false;
    return false;
  }
  for (cmsghdr* head = CMSG_FIRSTHDR(&message); head; head = CMSG_NXTHDR(&message, head)) {
    if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS) continue;
    int memory;
    std::memcpy(&memory, CMSG_DATA(head), sizeof memory);
    if (!c.recorded)
      close(memory);
    else if (!c.recorded->map(memory))
      c.error = std::string("cannot map the process's rings: ") + strerror(errno);
  }
  if (c.recorded) c.recorded->message({buffer.data(), size_t(n)});
  return true;
}

bool Recorder::State::serve(Connection& c) {
  if (c.recorded) c.recorded->look();
  bool was_something = false;
  while (receive(c)) was_something = true;
  if (c.recorded) was_something |= c.recorded->take();
  if (!c.is_open) {
    const bool has_ended = c.recorded && c.recorded->has_said_bye();
    close_connection(c, has_ended ? ""
                                  : "the process was killed, crashed or replaced itself by another program");
  }
  return was_something;
}

void Recorder::State::close_connection(Connection& c, std::string_view why) {
  c.is_open = false;
  if (c.recorded) c.recorded->finish(why);
  close(c.socket);
}

} // namespace footrace::record
