// Layout: banner, one block per access (stack, excerpt, locks), the memory, the threads, one summary line.
// The wording follows ThreadSanitizer's reports, which users already know how to read, and says more where
// they are silent.
#include "findings/text.h"

#include "findings/frames.h"

#include <algorithm>
#include <cstdlib>
#include <unistd.h>

namespace footrace::findings {
namespace {

constexpr const char* rule_line = "==================\n";
constexpr const char* aged_out = "no longer known: history aged out; raise history_size)\n";
// Of a deep recursion, both ends tell the story.
constexpr std::size_t longest_stack = 64, head_frames = 40, tail_frames = 16;
constexpr std::size_t longest_excerpt = 160;
constexpr std::size_t no_frame = static_cast<std::size_t>(-1);

using Style = const char*; // an escape sequence
constexpr Style banner = "\033[1;31m", heading = "\033[1;34m", place = "\033[36m", faint = "\033[2m",
                caret = "\033[1;32m", summary = "\033[1m";

class TextWriter {
public:
  TextWriter(const Finding& finding, const TextOptions& options) : finding_(finding), options_(options) {
    for (const Access& access : finding.accesses)
      for (const HeldLock& lock : access.locks)
        if (lock_number(lock.address) == 0) locks_.push_back(lock.address);
  }

  std::string write() {
    out_ += rule_line;
    std::string first = "WARNING: footrace: " + rule_title(finding_);
    if (finding_.pid != 0) first += " (pid=" + std::to_string(finding_.pid) + ")";
    out_ += styled(banner, first) + '\n';
    for (std::size_t i = 0; i < finding_.accesses.size(); ++i) write_access(finding_.accesses[i], i != 0);
    if (finding_.accesses.empty()) out_ += "  (the accesses are not known)\n\n";
    if (finding_.memory) write_memory(*finding_.memory);
    for (const ThreadInfo& thread : finding_.threads)
      if (thread.number != 0 && is_told(thread.number)) write_thread(thread);
    write_sleep();
    if (!finding_.explanation.empty()) write_explanation();
    out_ += styled(summary, "SUMMARY: footrace: " + finding_.summary) + '\n';
    out_ += rule_line;
    return std::move(out_);
  }

private:
  // Others took part in the order that there was, which a picture shows.
  bool is_told(unsigned number) const {
    return (finding_.memory && finding_.memory->thread == number) ||
           std::ranges::count(finding_.accesses, number, &Access::thread) != 0;
  }

  void write_sleep() {
    if (finding_.slept.empty() || finding_.accesses.empty() || !finding_.accesses[0].thread) return;
    std::string title = thread_title(*finding_.accesses[0].thread);
    title.front() = static_cast<char>(title.front() - 'a' + 'A');
    out_ += "  " +
            styled(heading, title + " slept after the previous access, as if that ordered the two, at:") +
            '\n';
    write_origin(finding_.slept);
    out_ += '\n';
  }

  std::string styled(Style style, const std::string& text) const {
    return options_.color ? style + text + "\033[0m" : text;
  }

  std::size_t lock_number(std::uint64_t address) const {
    auto at = std::ranges::find(locks_, address);
    return at == locks_.end() ? 0 : static_cast<std::size_t>(at - locks_.begin()) + 1;
  }

  std::string thread_title(unsigned number) const {
    if (number == 0) return "main thread";
    std::string title = "thread T" + std::to_string(number);
    for (const ThreadInfo& thread : finding_.threads)
      if (thread.number == number && !thread.name.empty()) title += " '" + thread.name + "'";
    return title;
  }

  // Nobody ran the program: no order of the accesses, no addresses, no threads.
  bool is_static() const { return finding_.part == "scan" || finding_.part == "prove"; }

  std::string access_title(const Access& access, bool second) const {
    std::string title = !second ? "" : is_static() ? "and " : "Previous ";
    title += access.kind == AccessKind::Unknown ? "access" : to_text(access.kind);
    if (!second) title.front() = static_cast<char>(title.front() - 'a' + 'A');
    if (access.size != 0) title += " of size " + std::to_string(access.size);
    return title;
  }

  // As ThreadSanitizer's strip_path_prefix.
  std::string place_text(SourceLocation location) const {
    const std::string& prefix = options_.strip_prefix;
    std::size_t at = prefix.empty() ? std::string::npos : location.file.find(prefix);
    if (at != std::string::npos && at + prefix.size() < location.file.size())
      location.file.erase(0, at + prefix.size());
    return to_text(location, true);
  }

  std::string frame_text(const StackFrame& frame) const {
    std::string text = frame.function.empty() ? "<unknown function>" : frame.function;
    if (!frame.location.file.empty()) text += ' ' + styled(place, place_text(frame.location));
    if (!frame.module.empty())
      text += ' ' + styled(faint, '(' + module_text(frame.module, frame.offset) + ')');
    return text;
  }

  void write_excerpt(const SourceLocation& location, const std::string& indent) {
    if (!options_.source) return;
    std::optional<std::string> line = options_.source->line(location);
    if (!line || line->size() > longest_excerpt) return;
    std::string number = std::to_string(location.line);
    out_ += indent + styled(faint, number + " | ") + *line + '\n';
    if (location.column == 0 || location.column > line->size()) return;
    // Tabs are copied so that the caret stands below its column however wide a tab is.
    std::string below = line->substr(0, location.column - 1);
    for (char& c : below)
      if (c != '\t') c = ' ';
    out_ +=
        indent + styled(faint, std::string(number.size(), ' ') + " | ") + below + styled(caret, "^") + '\n';
  }

  // Frames [first, end). `excerpt_at`: the one whose source line is shown, or none.
  void write_frames(const Stack& stack, std::size_t first, std::size_t end, const std::string& indent,
                    std::size_t excerpt_at = no_frame) {
    for (std::size_t i = first; i < end; ++i) {
      if (!options_.all_frames && end - first > longest_stack && i == first + head_frames) {
        std::size_t left_out = end - i - tail_frames;
        out_ += indent + styled(faint, "... " + std::to_string(left_out) + " more frames ...") + '\n';
        i += left_out;
      }
      out_ += indent + '#' + std::to_string(i) + ' ' + frame_text(stack[i]) + '\n';
      if (i == excerpt_at) write_excerpt(stack[i].location, indent + "     ");
    }
  }

  std::size_t visible_count(const Stack& stack) const {
    return options_.all_frames ? stack.size() : visible_frames(stack);
  }

  // Where a thread was created or a block allocated: how the library got there from the user's call says
  // nothing.
  void write_origin(const Stack& stack) {
    if (stack.empty()) out_ += "    (stack not known)\n";
    std::size_t first = options_.all_frames ? 0 : user_frame(stack);
    if (first == 1) first = 0; // leaving out one line saves none
    if (first != 0)
      out_ += "    " + styled(faint, "... " + std::to_string(first) + " library frames ...") + '\n';
    write_frames(stack, first, visible_count(stack), "    ");
  }

  void write_access(const Access& access, bool previous) {
    std::string title = access_title(access, previous);
    if (access.address) title += " at " + to_hex(*access.address);
    if (access.thread) title += " by " + thread_title(*access.thread);
    if (access.event) title += ", event " + std::to_string(*access.event) + " of the trace";
    out_ += "  " + styled(heading, title + ':') + '\n';
    if (access.stack.empty()) out_ += "    (stack not known)\n";
    write_frames(access.stack, 0, visible_count(access.stack), "    ", user_frame(access));
    if (!access.stack.empty() && access.stack[user_frame(access)].location.line == 0)
      out_ += "    (no line known: compile with -g)\n";
    if (access.stack_lost && access.locks_lost)
      out_ += std::string("    (callers and locks ") + aged_out;
    else if (access.stack_lost)
      out_ += std::string("    (callers ") + aged_out;
    write_locks(access);
    out_ += '\n';
  }

  void write_locks(const Access& access) {
    if (access.locks_lost) {
      if (!access.stack_lost) out_ += std::string("    (locks held ") + aged_out;
      return;
    }
    // Without a thread nothing is known about the locks; it would be wrong to say that it held none.
    if (access.locks.empty() && (access.thread || is_static())) out_ += "    holding no locks\n";
    for (const HeldLock& lock : access.locks) write_lock(lock, access.stack);
  }

  // Where a lock was taken: the frames that the access' own stack does not already show.
  void write_lock(const HeldLock& lock, const Stack& access_stack) {
    if (is_static()) {
      out_ += "    holding '" + lock.name + "'" + (lock.mode == LockMode::Shared ? " shared" : "") + '\n';
      return;
    }
    std::string text = "    holding mutex M" + std::to_string(lock_number(lock.address));
    if (!lock.name.empty()) text += " '" + lock.name + "'";
    text += " (" + to_hex(lock.address) + ")";
    if (lock.mode == LockMode::Shared) text += " shared,";
    if (lock.taken.empty()) {
      out_ += text + (text.ends_with(',') ? "" : ",") + " taken at an unknown place\n";
      return;
    }
    Stack rest(lock.taken.begin() + static_cast<std::ptrdiff_t>(user_frame(lock.taken)), lock.taken.end());
    rest.resize(visible_frames(rest));
    std::size_t common = 0, visible = visible_frames(access_stack);
    while (common + 1 < rest.size() && common < visible &&
           rest[rest.size() - 1 - common] == access_stack[visible - 1 - common])
      ++common;
    rest.resize(rest.size() - common);
    if (rest.size() == 1) {
      out_ += text + " taken at " + frame_text(rest.front()) + '\n';
      return;
    }
    out_ += text + " taken at:\n";
    write_frames(rest, 0, rest.size(), "      ");
    if (common != 0) out_ += "      " + styled(faint, "... then the same callers as the access") + '\n';
  }

  void write_memory(const Memory& memory) {
    if (is_static()) {
      out_ += "  " + styled(heading, "Location is '" + memory.name + "'") + "\n\n";
      return;
    }
    std::string title = "Location is " + memory_title(memory);
    bool with_stack = memory.region == Region::Heap;
    if (with_stack)
      title += " allocated by " + (memory.thread ? thread_title(*memory.thread) : "an unknown thread");
    out_ += "  " + styled(heading, title + (with_stack ? ":" : "")) + '\n';
    if (with_stack) write_origin(memory.allocated);
    if (has_begun_again(memory))
      out_ +=
          "  The free ended an earlier block. Nothing orders the access after the allocation of this one.\n";
    out_ += '\n';
  }

  // The free that the access races with is not that of the block that lies there now.
  bool has_begun_again(const Memory& memory) const {
    return memory.region == Region::Heap && !memory.freed && finding_.accesses.size() > 1 &&
           finding_.accesses[1].kind == AccessKind::Free;
  }

  std::string memory_title(const Memory& memory) const {
    std::string owner = memory.thread ? thread_title(*memory.thread) : "an unknown thread";
    std::string at = "at " + to_hex(memory.begin != 0 ? memory.begin : memory.address);
    if (memory.begin != 0 && memory.address >= memory.begin &&
        (memory.region == Region::Heap || memory.address != memory.begin))
      at += " (offset " + std::to_string(memory.address - memory.begin) +
            (memory.type.empty() ? "" : ": " + object_name(memory)) + ")";
    std::string size = memory.size != 0 ? "of size " + std::to_string(memory.size) + ' ' : "";
    if (!size.empty() && !memory.name.empty() && !memory.member.empty())
      size.insert(0, "in '" + memory.name + "' ");
    switch (memory.region) {
    case Region::Heap:
      return (memory.freed ? "freed heap block " : "heap block ") + size + at;
    case Region::Stack: {
      std::string text = memory.name.empty() ? "" : "variable '" + object_name(memory) + "' on the ";
      text += "stack of " + owner + ", at " + to_hex(memory.address);
      if (!memory.location.file.empty()) text += ", declared at " + place_text(memory.location);
      return text;
    }
    case Region::ThreadLocal:
      return "thread-local storage of " + owner + ", at " + to_hex(memory.address);
    case Region::Global: {
      std::string text = memory.name.empty() ? "global memory " : "global '" + object_name(memory) + "' ";
      text += size + at;
      if (!memory.location.file.empty()) text += ", declared at " + place_text(memory.location);
      if (!memory.module.empty()) text += " (" + module_text(memory.module, memory.offset) + ')';
      return text;
    }
    case Region::Unknown:
      break;
    }
    return "not known, at " + to_hex(memory.address);
  }

  void write_thread(const ThreadInfo& thread) {
    std::string title = thread_title(thread.number);
    title.front() = 'T';
    if (!is_static()) {
      title += " (";
      if (thread.os_id != 0) title += "tid=" + std::to_string(thread.os_id) + ", ";
      title += thread.finished ? "finished)" : "running)";
    }
    if (thread.parent) title += " created by " + thread_title(*thread.parent);
    out_ += "  " + styled(heading, title + (thread.parent ? " at:" : " created at:")) + '\n';
    write_origin(thread.created);
    out_ += '\n';
  }

  void write_explanation() {
    std::string_view rest = finding_.explanation;
    while (!rest.empty()) {
      std::size_t end = std::min(rest.find('\n'), rest.size());
      out_ += "  " + std::string(rest.substr(0, end)) + '\n';
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    out_ += '\n';
  }

  const Finding& finding_;
  const TextOptions& options_;
  std::vector<std::uint64_t> locks_; // M1, M2, ... in order of appearance
  std::string out_;
};

} // namespace

std::string write_text(const Finding& finding, const TextOptions& options) {
  return TextWriter(finding, options).write();
}

bool wants_color(std::string_view option, int fd) {
  if (option == "always") return true;
  if (option == "never" || !isatty(fd)) return false;
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return !(no_color && *no_color) && terminal && std::string_view(terminal) != "dumb";
}

} // namespace footrace::findings
