#include "findings/report/picture.h"

#include "findings/frames.h"
#include "findings/report/writers.h"

#include <algorithm>

namespace footrace::findings {
namespace {

SourceLocation user_place(const Stack& stack) {
  return stack.empty() ? SourceLocation() : stack[user_frame(stack)].location;
}

std::string thread_title(unsigned number) {
  return number == 0 ? "main thread" : "T" + std::to_string(number);
}

class Painter {
public:
  explicit Painter(const Finding& finding)
      : finding_(finding), now_(finding.accesses[0]), before_(finding.accesses[1]) {}

  Picture paint() {
    const bool is_static = finding_.part == "scan" || finding_.part == "prove";
    picture_.is_timed = !is_static && now_.thread && before_.thread;
    make_lanes();
    creations();
    const bool takes_first = std::ranges::any_of(
        now_.locks, [&](const HeldLock& lock) { return lock.after && lock.after == before_.thread; });
    if (takes_first) locks(now_, now_lane_);
    earlier();
    locks(before_, before_lane_);
    access(1, before_lane_);
    ends(/*joined=*/true);
    if (!takes_first) locks(now_, now_lane_);
    access(0, now_lane_);
    ends(/*joined=*/false);
    if (!finding_.slept.empty()) {
      const std::string place = to_text(user_place(finding_.slept), false);
      picture_.note = title(now_lane_) + " slept" + (place.empty() ? "" : " (" + place + ")") +
                      " after the other access had been made, or begun, as if that ordered the two: a sleep "
                      "orders nothing. ";
    }
    if (finding_.order == Order::None)
      picture_.note += "Nothing that " + title(before_lane_) + " did is ordered before the access by " +
                       title(now_lane_) +
                       ": it has learned nothing from it, neither directly nor through other threads.";
    return std::move(picture_);
  }

private:
  const ThreadInfo* info(unsigned number) const {
    for (const ThreadInfo& thread : finding_.threads)
      if (thread.number == number) return &thread;
    return nullptr;
  }

  std::size_t lane_of(unsigned number) {
    for (std::size_t i = 0; i < picture_.lanes.size(); ++i)
      if (picture_.lanes[i].thread == number) return i;
    Lane lane{thread_title(number), number == 0 ? "main" : thread_title(number), number, false};
    if (const ThreadInfo* thread = info(number)) {
      if (number != 0 && !thread->name.empty()) lane.title += " '" + thread->name + "'";
      lane.has_ended = thread->finished;
    }
    picture_.lanes.push_back(std::move(lane));
    return picture_.lanes.size() - 1;
  }

  std::size_t lane_without_number(const char* title, const char* name) {
    picture_.lanes.push_back({title, name, std::nullopt, false});
    return picture_.lanes.size() - 1;
  }

  void make_lanes() {
    std::vector<unsigned> numbers;
    auto add = [&](std::optional<unsigned> number) {
      if (number) numbers.push_back(*number);
    };
    for (const Access* one : {&now_, &before_}) {
      add(one->thread);
      if (const ThreadInfo* thread = one->thread ? info(*one->thread) : nullptr) {
        add(thread->parent);
        add(thread->joiner);
      }
      for (const HeldLock& lock : one->locks) add(lock.after);
    }
    std::ranges::sort(numbers);
    for (unsigned number : numbers) lane_of(number);
    const bool is_one = now_.thread && now_.thread == before_.thread; // threads that one place makes
    before_lane_ = before_.thread ? lane_of(*before_.thread) : lane_without_number("one thread", "one");
    now_lane_ = now_.thread && !is_one ? lane_of(*now_.thread)
                : is_one               ? lane_without_number("another of them", "other")
                                       : lane_without_number("another thread", "other");
  }

  void add(Moment moment) { picture_.moments.push_back(std::move(moment)); }
  const std::string& title(std::size_t lane) const { return picture_.lanes[lane].title; }

  void creations() {
    for (std::size_t lane = 0; lane < picture_.lanes.size(); ++lane) {
      const ThreadInfo* thread = picture_.lanes[lane].thread ? info(*picture_.lanes[lane].thread) : nullptr;
      if (!thread || !thread->parent || *thread->parent == thread->number) continue;
      const std::optional<std::size_t> parent = known_lane(*thread->parent);
      if (!parent) continue;
      add({MomentKind::Creates,
           *parent,
           lane,
           "creates " + thread_title(thread->number),
           title(*parent) + " creates " + title(lane),
           user_place(thread->created),
           {}});
    }
  }

  std::optional<std::size_t> known_lane(unsigned number) const {
    for (std::size_t i = 0; i < picture_.lanes.size(); ++i)
      if (picture_.lanes[i].thread == number) return i;
    return std::nullopt;
  }

  // What else of the earlier access's thread is known to be ordered; not said again where an edge shows it.
  void earlier() {
    if (finding_.order != Order::Earlier) return;
    const bool is_shown = std::ranges::any_of(picture_.moments, [&](const Moment& moment) {
      return moment.lane == before_lane_ && moment.to == now_lane_;
    });
    if (is_shown) return;
    const std::string after = title(before_lane_) + " released ",
                      then = ", then " + title(now_lane_) + " acquired it";
    if (finding_.through.empty())
      add({MomentKind::Earlier,
           before_lane_,
           now_lane_,
           "earlier",
           "something that " + title(before_lane_) + " did before its access is ordered before " +
               title(now_lane_) + ", through other threads or through what several released",
           {},
           {}});
    else
      add({MomentKind::HandsOver,
           before_lane_,
           now_lane_,
           finding_.through,
           after + finding_.through + " before its access" + then,
           {},
           {}});
  }

  void locks(const Access& access, std::size_t lane) {
    const std::size_t number = &access == &finding_.accesses[0] ? 0 : 1;
    for (const HeldLock& lock : access.locks) {
      const std::string name = lock_name(lock);
      const std::string mode = lock.mode == LockMode::Shared ? " (shared)" : "";
      if (lock.after)
        if (std::optional<std::size_t> from = known_lane(*lock.after); from && *from != lane) {
          add({MomentKind::HandsOver, *from, lane, name,
               title(*from) + " unlocks " + name + ", then " + title(lane) + " locks it" + mode,
               user_place(lock.taken), number});
          continue;
        }
      add({MomentKind::Locks,
           lane,
           {},
           name,
           title(lane) + " locks " + name + mode,
           user_place(lock.taken),
           number});
    }
  }

  void access(std::size_t number, std::size_t lane) {
    const Access& access = finding_.accesses[number];
    const std::string what = access.expression.empty() ? subject_of(finding_) : access.expression;
    const std::string label = access.use == "call" && !access.expression.empty()
                                  ? use_text(access) + " in " + what + "()"
                                  : use_text(access) + " of " + what;
    add({MomentKind::Accesses,
         lane,
         {},
         label,
         title(lane) + ": " + label + ", " + held(access),
         access.location,
         number});
  }

  static std::string held(const Access& access) {
    if (access.locks_lost) return "locks not known";
    if (access.locks.empty()) return "holding no locks";
    return "holding " + locks_text(access);
  }

  void ends(bool joined) {
    for (std::size_t lane = 0; lane < picture_.lanes.size(); ++lane) {
      const ThreadInfo* thread = picture_.lanes[lane].thread ? info(*picture_.lanes[lane].thread) : nullptr;
      if (!thread || !thread->joiner || thread->joined != joined) continue;
      const std::optional<std::size_t> joiner = known_lane(*thread->joiner);
      if (!joiner || *joiner == lane) continue;
      if (joined)
        add({MomentKind::Joins,
             lane,
             *joiner,
             "joined",
             title(lane) + " has ended, and " + title(*joiner) + " has joined it",
             user_place(thread->join),
             {}});
      else
        add({MomentKind::WaitsFor,
             lane,
             *joiner,
             "waits for " + thread_title(thread->number),
             title(*joiner) + " waits for the end of " + title(lane),
             user_place(thread->join),
             {}});
    }
  }

  const Finding& finding_;
  const Access &now_, &before_;
  std::size_t now_lane_ = 0, before_lane_ = 0;
  Picture picture_;
};

// -- As text

constexpr std::size_t width = 80;

class LaneText {
public:
  explicit LaneText(const Picture& picture)
      : picture_(picture), step_(picture.lanes.size() > 6 ? 4 : 6), lives_(picture.lanes.size(), true) {
    // Who is created lives from then on.
    for (const Moment& moment : picture.moments)
      if (moment.kind == MomentKind::Creates && moment.to) lives_[*moment.to] = false;
  }

  std::vector<std::string> write() {
    std::string names;
    for (std::size_t i = 0; i < picture_.lanes.size(); ++i) {
      names.resize(i * step_, ' ');
      names += picture_.lanes[i].name.substr(0, step_ - 1);
    }
    lines_.push_back(names);
    bool had_access = false;
    for (const Moment& moment : picture_.moments) {
      if (moment.kind == MomentKind::Accesses && had_access)
        row(lanes(), picture_.is_timed ? "NO ORDER: nothing leads from the access above to the one below"
                                       : "NO ORDER: either may come first");
      had_access |= moment.kind == MomentKind::Accesses;
      write(moment);
    }
    return std::move(lines_);
  }

private:
  std::string lanes() const {
    std::string text((picture_.lanes.size() - 1) * step_ + 1, ' ');
    for (std::size_t i = 0; i < picture_.lanes.size(); ++i)
      if (lives_[i]) text[i * step_] = '|';
    return text;
  }

  void write(const Moment& moment) {
    if (moment.kind == MomentKind::Creates) lives_[*moment.to] = true;
    std::string text = lanes();
    const std::size_t from = moment.lane * step_;
    if (moment.to) {
      const std::size_t to = *moment.to * step_;
      const char line = moment.kind == MomentKind::WaitsFor ? '.' : '-';
      for (std::size_t i = std::min(from, to) + 1; i < std::max(from, to); ++i) text[i] = line;
      text[from] = text[to] = 'o';
      text[from < to ? to - 1 : to + 1] = from < to ? '>' : '<';
    } else {
      text[from] = moment.kind == MomentKind::Accesses ? '#' : 'o';
    }
    std::string words = moment.text;
    if (std::string place = to_text(moment.place, false); !place.empty()) words += " (" + place + ")";
    if (moment.kind == MomentKind::Joins) lives_[moment.lane] = false;
    row(text, words);
  }

  void row(std::string start, const std::string& words) {
    const std::size_t indent = start.size() + 2;
    std::string line = start + "  ";
    bool is_empty = true;
    for (std::size_t at = 0; at < words.size();) {
      std::size_t end = std::min(words.find(' ', at), words.size());
      std::string word = shortened(words.substr(at, end - at), width - 2 - indent);
      at = end + 1;
      if (!is_empty && line.size() + 1 + word.size() > width - 2) {
        lines_.push_back(line);
        line = lanes();
        line.resize(indent, ' ');
        is_empty = true;
      }
      line += (is_empty ? "" : " ") + word;
      is_empty = false;
    }
    lines_.push_back(line);
  }

  const Picture& picture_;
  const std::size_t step_;
  std::vector<bool> lives_;
  std::vector<std::string> lines_;
};

} // namespace

Picture picture_of(const Finding& finding) { return Painter(finding).paint(); }

bool is_edge(MomentKind kind) { return kind != MomentKind::Locks && kind != MomentKind::Accesses; }

std::string_view to_text(MomentKind kind) {
  static constexpr const char* names[] = {"creates",  "hands over", "earlier",  "locks",
                                          "accesses", "joins",      "waits for"};
  return names[static_cast<std::size_t>(kind)];
}

std::vector<std::string> picture_lines(const Picture& picture) { return LaneText(picture).write(); }

} // namespace footrace::findings
