#include "tests/model/protocol.h"

#include "check/fresh_memory.h"
#include "check/sync_rules.h"
#include "check/waiting_bytes.h"
#include "tests/model/quick.h"
#include "tests/model/shadow.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace footrace::model {

using fasttrack::Conflict;

namespace {

// A conflict that an access of a thread of the run has found.
struct Told {
  u64 byte;
  size_t thread;
  AccessKind kind;
  Epoch previous;
  AccessKind previous_kind;
  bool operator==(const Told&) const = default;
};

// An access of the plan.
struct Event {
  Access access;
  Tid tid;
  Epoch epoch;
  std::vector<size_t> before; // events that are ordered before it
  bool is_of_run;
};

struct Expectation {
  bool is_racy = false;
  std::vector<const Event*> known;  // that the shadow may name
  std::vector<const Event*> needed; // and that it must, if there is no race
};

bool touches(const Access& a, u64 byte) { return byte - a.offset < a.size; }

class Checker {
public:
  explicit Checker(const Plan& plan) : plan_(plan) {}

  Scenario scenario() {
    Scenario s;
    for (size_t i = 0; i < plan_.threads.size(); ++i) s.threads.push_back([this, i] { run(i); });
    s.setup = [this] { setup(); };
    s.fingerprint = [this] { return fingerprint(); };
    s.at_write = [this] { return broken_invariant([this](u64 byte) { return is_told(byte); }); };
    s.at_end = [this] { return at_end(); };
    s.name_of = name_of;
    return s;
  }

private:
  static inline Checker* running_ = nullptr; // for the steps that have no sink

  struct Sink {
    std::vector<Told>& told;
    size_t thread;
  };
  static void collect(void* context, const Conflict& c) {
    const Sink& sink = *static_cast<Sink*>(context);
    for (u32 i = 0; i < c.size; ++i) {
      const Told one = {c.address + i - base(), sink.thread, c.kind, c.previous, c.previous_kind};
      if (std::find(sink.told.begin(), sink.told.end(), one) == sink.told.end()) sink.told.push_back(one);
    }
  }
  static void make(ThreadState& t, const Access& a, size_t thread, std::vector<Told>& told,
                   bool stops = false) {
    const uptr address = base() + a.offset;
    if (a.fresh == Access::Fresh::All) return fasttrack::forget(&t, address, a.size);
    if (a.fresh == Access::Fresh::Unordered) return (void)fasttrack::forget_unordered(t, address, a.size);
    Sink sink = {told, thread};
    for (u64 done = 0; done < a.size;)
      done += fasttrack::access(t, address + done, a.size - done, a.kind, collect, &sink, stops);
  }

  void add_event(const ThreadState& t, const Access& a, bool is_of_run) {
    Event event = {a, t.tid(), t.epoch, {}, is_of_run};
    for (size_t i = 0; i < events_.size(); ++i)
      if (covers(t, events_[i].epoch)) event.before.push_back(i);
    events_.push_back(event);
  }
  void make_in_setup(ThreadState& t, const Access& a) {
    add_event(t, a, false);
    make(t, a, 0, told_);
  }

  void setup() {
    clear_shadow(plan_.uses_freed);
    told_.clear(), events_.clear();
    g_compress_blocks = plan_.has_blocks;
    ThreadState& main = new_thread(kMain);
    if (!plan_.has_blocks)
      for (u64 i = 0; i < kHeaders; ++i) fasttrack::refine(main, base() + i * kBlockBytes);
    for (const Access& a : plan_.before) make_in_setup(main, a);
    for (Tid i = 0; i < plan_.earlier.size(); ++i) fasttrack::fork(main, new_thread(kEarlier + i));
    for (Tid i = 0; i < plan_.earlier.size(); ++i) make_in_setup(state_of(kEarlier + i), plan_.earlier[i]);
    for (Tid i = 0; i < plan_.earlier.size(); ++i) fasttrack::join(main, state_of(kEarlier + i).C);
    running_ = this;
    for (Tid i = 0; i < plan_.threads.size(); ++i) {
      fasttrack::fork(main, new_thread(kRun + i));
      state_in_run(i).tell_late_write = [](ThreadState& t, uptr address, u32 size, Word before) {
        Sink sink = {running_->told_, t.tid() - kRun};
        fasttrack::Found found(t, collect, &sink);
        fasttrack::tell_write(t, address, size, before, found);
      };
      has_ended_[i] = false;
    }
    for (u32 round = 0; round < plan_.rounds && !plan_.first.empty(); ++round)
      for (size_t i = 0; i < plan_.threads.size(); ++i) {
        for (const Access& a : plan_.first) make_in_setup(state_in_run(i), a);
        fasttrack::tick(state_in_run(i));
      }
    for (const Order& o : plan_.first_order) {
      fasttrack::join(state_in_run(o.thread), state_in_run(o.ended).C);
      fasttrack::tick(state_in_run(o.ended));
    }
    for (size_t i = 0; i < plan_.threads.size(); ++i)
      if (plan_.has_same_epoch >> i & 1)
        for (const Access& a : plan_.same_epoch) make_in_setup(state_in_run(i), a);
    for (size_t i = 0; i < plan_.threads.size(); ++i)
      if (std::none_of(plan_.order.begin(), plan_.order.end(), [=](const Order& o) { return o.thread == i; }))
        begin_thread(i);
    if (!told_.empty())
      std::fprintf(stderr, "model: a race before the run: %s\n", to_text(plan_).c_str()), std::abort();
    end_of_setup();
  }

  void run(size_t i) {
    ThreadState& t = state_in_run(i);
    for (const Order& o : plan_.order)
      if (o.thread == i) {
        wait_for(o.ended);
        if (!o.is_by_chance) fasttrack::join(t, state_in_run(o.ended).C);
        begin_thread(i);
      }
    for (u32 k = 0; k < plan_.threads[i].size(); ++k) {
      Access a = plan_.threads[i][k];
      if (a.fresh != Access::Fresh::No) settle(i, k);
      begin_access(i, k);
      if (plan_.is_quick && a.fresh == Access::Fresh::No) {
        begin_quick(i);
        Sink sink = {told_, i};
        fasttrack::Found found(t, collect, &sink);
        const u32 done = u32(make_quickly(t, base() + a.offset, a.size, a.kind, found));
        end_quick(i);
        a.offset += done, a.size -= done;
        if (a.size) begin_access(i, 1u << 16 | done << 8 | k); // it has nothing else in mind
      }
      if (a.size &&
          (!plan_.in_line || is_atomic(a.kind) ||
           !fasttrack::seen_in_this_epoch(t, base() + a.offset, a.size, a.kind == AccessKind::Write)))
        make(t, a, i, told_, plan_.in_line);
      if (!plan_.waits) settle(i, k);
      end_access(i);
    }
    settle(i, ~0u);
    has_ended_[i] = true;
    end_thread(i);
  }

  // The bytes that wait.
  void settle(size_t i, u32 k) {
    ThreadState& t = state_in_run(i);
    if (!t.waiting.used) return;
    begin_access(i, 1u << 17 | k);
    Sink sink = {told_, i};
    fasttrack::Found found(t, collect, &sink);
    fasttrack::settle_bytes(t, found);
    end_access(i);
  }

  bool is_told(u64 byte) const {
    return std::any_of(told_.begin(), told_.end(), [=](const Told& t) { return t.byte == byte; });
  }
  u64 fingerprint() const {
    u64 hash = fingerprint_of_shadow(), sum = 0; // in whatever order
    for (const Told& t : told_)
      sum += mix(mix(mix(t.byte, t.thread), u64(t.kind) << 32 | t.previous.raw), u64(t.previous_kind));
    for (size_t i = 0; i < plan_.threads.size(); ++i)
      hash = mix(hash, has_ended_[i] ? 0 : fingerprint_of(state_in_run(i)));
    return mix(hash, sum);
  }

  bool is_before(size_t a, size_t b) const {
    const std::vector<size_t>& before = events_[b].before;
    return std::find(before.begin(), before.end(), a) != before.end();
  }
  Expectation expect(u64 byte) const {
    std::vector<size_t> live, gone;
    const auto is_kept = [&](size_t a) { // in its new life
      for (size_t i = a; i < events_.size(); ++i) {
        const Access& fresh = events_[i].access;
        if (touches(fresh, byte) && (fresh.fresh == Access::Fresh::All ||
                                     (fresh.fresh == Access::Fresh::Unordered && !is_before(a, i))))
          return false;
      }
      return true;
    };
    for (size_t i = 0; i < events_.size(); ++i) {
      if (!touches(events_[i].access, byte)) continue;
      if (events_[i].access.fresh != Access::Fresh::No)
        std::swap(live, gone); // in the run nobody else touches it
      else
        live.push_back(i);
    }
    Expectation e;
    for (size_t a : gone)
      if (is_kept(a)) e.known.push_back(&events_[a]);
    for (size_t a : live) {
      bool is_needed = true;
      for (size_t b : live) {
        const AccessKind kind_a = events_[a].access.kind, kind_b = events_[b].access.kind;
        const bool is_same = events_[a].epoch == events_[b].epoch && (b < a || !stands_for(kind_a, kind_b));
        if (a != b && (is_before(a, b) || is_same)) is_needed &= !stands_for(kind_b, kind_a);
        e.is_racy |= a < b && !is_before(a, b) && may_conflict(kind_a, kind_b);
      }
      e.known.push_back(&events_[a]);
      if (is_needed) e.needed.push_back(&events_[a]);
    }
    return e;
  }

  // Empty, or what is wrong with what was told of the byte.
  static std::string check_run(const Expectation& expected, u64 byte, const std::vector<Told>& told) {
    bool is_any = false;
    for (const Told& t : told) {
      if (t.byte != byte) continue;
      is_any = true;
      const auto is_true = [&](const Event* e) {
        return e->epoch == t.previous && may_conflict(e->access.kind, t.kind) &&
               !covers(state_in_run(t.thread), e->epoch);
      };
      if (std::none_of(expected.known.begin(), expected.known.end(), is_true)) return "a race was invented";
    }
    return expected.is_racy && !is_any ? "a race was lost" : "";
  }
  // The same of an access of this kind that is ordered after nothing.
  static std::string check_last(const Expectation& expected, u64 byte, AccessKind kind,
                                const std::vector<Told>& told) {
    const auto names = [&](const Told& t, const Event* e) {
      return t.byte == byte && t.previous == e->epoch && t.previous_kind == e->access.kind;
    };
    for (const Told& t : told)
      if (t.byte == byte && std::none_of(expected.known.begin(), expected.known.end(),
                                         [&](const Event* e) { return names(t, e); }))
        return "the last access met what was not there";
    for (const Event* e : expected.needed)
      if (may_conflict(kind, e->access.kind) &&
          std::none_of(told.begin(), told.end(), [&](const Told& t) { return names(t, e); }))
        return "an update was lost";
    return "";
  }

  std::vector<Told> last(Tid tid, AccessKind kind) {
    std::vector<Told> told;
    make(new_thread(tid), {0, u32(kBytes), kind}, 0, told);
    std::erase_if(told, [](const Told& t) { return tid_of(t.previous) >= kProbe; });
    return told;
  }

  std::string at_end() {
    for (size_t i = 0; i < plan_.threads.size(); ++i)
      for (const Access& a : plan_.threads[i]) add_event(state_in_run(i), a, true);
    if (std::string broken = broken_invariant([this](u64 byte) { return is_told(byte); }); !broken.empty())
      return broken;
    if (expected_.empty())
      for (u64 byte = 0; byte < kBytes; ++byte) expected_.push_back(expect(byte));
    if (plan_.uses_freed) return "";
    bool is_named[kBytes]; // what a report looks for
    for (u64 byte = 0; byte < kBytes; ++byte) {
      is_named[byte] = !fasttrack::still_names(base() + byte, 1, make_epoch(kProbe, 1));
      for (const Event* e : expected_[byte].needed)
        is_named[byte] &= fasttrack::still_names(base() + byte, 1, e->epoch);
    }
    const std::vector<Told> by_read = last(kProbe, AccessKind::Read),
                            by_write = last(kProbe + 1, AccessKind::Write);
    for (u64 byte = 0; byte < kBytes; ++byte) {
      const Expectation& expected = expected_[byte];
      std::string failure = check_run(expected, byte, told_);
      if (failure.empty() && !expected.is_racy && !is_named[byte])
        failure = "the epoch of an access is not found";
      if (failure.empty() && !expected.is_racy)
        failure = check_last(expected, byte, AccessKind::Read, by_read);
      if (failure.empty() && !expected.is_racy)
        failure = check_last(expected, byte, AccessKind::Write, by_write);
      if (!failure.empty()) return failure + " at byte " + std::to_string(byte);
    }
    return "";
  }

  const Plan& plan_;
  std::vector<Event> events_;
  std::vector<Told> told_;
  bool has_ended_[kThreads] = {};
  std::vector<Expectation> expected_; // by byte; the same in all runs
};

} // namespace

std::string to_text(const Access& a) {
  static const char* names[] = {"read", "write", "atomic read", "atomic write"};
  const char* name = a.fresh == Access::Fresh::All         ? "forget"
                     : a.fresh == Access::Fresh::Unordered ? "allocate"
                                                           : names[u32(a.kind)];
  return std::string(name) + " [" + std::to_string(a.offset) + ", +" + std::to_string(a.size) + ")";
}

std::string to_text(const Plan& plan) {
  std::string text;
  auto add = [&](const char* name, const Accesses& list) {
    if (!list.empty()) text += name;
    for (const Access& a : list) text += " " + to_text(a) + ";";
  };
  add(" before:", plan.before);
  add(" earlier:", plan.earlier);
  add(" each thread first:", plan.first);
  add(plan.has_same_epoch == ~0u ? " each thread in its epoch:" : " some threads in their epoch:",
      plan.same_epoch);
  for (const Accesses& t : plan.threads) add(" thread:", t);
  if (plan.in_line) text += " in line;";
  if (plan.is_quick) text += plan.waits ? " quick, and bytes wait;" : " quick;";
  for (const Order& o : plan.first_order)
    text += " " + std::to_string(o.thread) + " knows the first of " + std::to_string(o.ended) + ";";
  for (const Order& o : plan.order)
    text += " " + std::to_string(o.thread) + " after " + std::to_string(o.ended) +
            (o.is_by_chance ? " by chance;" : ";");
  return text;
}

Outcome check(const Plan& plan, u64 most_runs) {
  Checker checker(plan);
  return explore(checker.scenario(), most_runs);
}

} // namespace footrace::model
