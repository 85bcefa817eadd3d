#include "driver/progress.h"

#include "driver/counters.h"
#include "findings/json.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <mutex>
#include <sys/ioctl.h>
#include <unistd.h>

namespace footrace::driver {
namespace {

constexpr auto period = std::chrono::milliseconds(250);

struct Size {
  unsigned rows = 0, columns = 0;
  bool operator==(const Size&) const = default;
};

Size terminal_size() {
  winsize size = {};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0) return {};
  return {size.ws_row, size.ws_col};
}

// Below that a line less would hurt.
bool has_room(const Size& size) { return size.rows >= 5 && size.columns >= 30; }

void put(const std::string& text) {
  std::size_t at = 0;
  while (at < text.size()) {
    ssize_t written = write(STDERR_FILENO, text.data() + at, text.size() - at);
    if (written <= 0 && errno != EINTR) return;
    if (written > 0) at += static_cast<std::size_t>(written);
  }
}

std::string at_row(unsigned row, const std::string& text) {
  return "\0337\033[" + std::to_string(row) + ";1H\033[K" + text +
         "\0338"; // the cursor is where it was afterwards
}

// The last row, as long as this lives.
class StatusLine {
public:
  ~StatusLine() { leave(); }
  void show(std::string text) {
    if (const Size now = terminal_size(); now != size_) {
      leave();
      if (!has_room(now)) return;
      size_ = now;
      // A line feed first: the cursor may be in the last row.
      put("\n\0337\033[1;" + std::to_string(size_.rows - 1) + "r\0338\033[1A");
    }
    if (size_.rows == 0 || text == shown_) return;
    shown_ = text;
    if (text.size() >= size_.columns) {
      std::size_t end = size_.columns - 1;
      while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80)
        --end; // not inside of a letter
      text.resize(end);
    }
    put(at_row(size_.rows, text));
  }

private:
  void leave() {
    if (size_.rows != 0) put(at_row(size_.rows, "") + "\0337\033[r\0338");
    size_ = {};
    shown_.clear();
  }
  Size size_;
  std::string shown_;
};

// What was appended to a file since the last look, in whole lines.
class Tail {
public:
  Tail(std::string file, std::uintmax_t offset) : file_(std::move(file)), offset_(offset) {}
  std::string next() {
    std::ifstream in(file_, std::ios::binary);
    in.seekg(static_cast<std::streamoff>(offset_));
    std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    text.resize(text.rfind('\n') + 1);
    offset_ += text.size();
    return text;
  }

private:
  std::string file_;
  std::uintmax_t offset_;
};

std::string time_text(std::chrono::seconds elapsed) {
  const long seconds = elapsed.count();
  const std::string rest = std::to_string(seconds % 60);
  return std::to_string(seconds / 60) + ':' + (rest.size() < 2 ? "0" : "") + rest;
}

std::string counted(std::size_t count, const char* one, const char* more) {
  return std::to_string(count) + ' ' + (count == 1 ? one : more);
}

} // namespace

bool may_show_progress() {
  const char* term = getenv("TERM");
  return isatty(STDERR_FILENO) && term && strcmp(term, "dumb") != 0 && has_room(terminal_size());
}

Progress::Progress(ProgressFiles files) : files_(std::move(files)) {
  if (!may_show_progress()) return;
  // Signals are for the thread that waits.
  sigset_t all, mask;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &mask);
  watcher_ = std::jthread([this](std::stop_token stop) { watch(stop); });
  pthread_sigmask(SIG_SETMASK, &mask, nullptr);
}

Progress::~Progress() = default;

void Progress::watch(std::stop_token stop) {
  const auto start = std::chrono::steady_clock::now();
  Tail findings(files_.findings, files_.findings_offset), counters(files_.counters, 0);
  StatusLine line;
  std::set<std::string> races;
  std::size_t processes = 0;
  std::string last;
  std::mutex mutex;
  std::condition_variable_any timer;
  while (!stop.stop_requested()) {
    for (const findings::Finding& finding : findings::parse_findings(findings.next()).findings) {
      if (races.insert(finding.fingerprint).second) last = finding.summary;
    }
    if (!files_.counters.empty()) processes += counters_in(counters.next()).processes;
    std::string text = "footrace: ";
    if (!files_.counters.empty()) text += counted(processes, "process", "processes") + " done, ";
    text += counted(races.size(), "race", "races");
    if (files_.has_baseline)
      text +=
          ", " +
          std::to_string(std::ranges::count_if(races, [&](auto& id) { return !files_.known.contains(id); })) +
          " new";
    text +=
        ", " +
        time_text(std::chrono::duration_cast<std::chrono::seconds>(std::chrono::steady_clock::now() - start));
    if (!last.empty()) text += "; last: " + last;
    for (char& c : text)
      if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
    line.show(text);
    std::unique_lock lock(mutex);
    timer.wait_for(lock, stop, period, [] { return false; });
  }
}

} // namespace footrace::driver
