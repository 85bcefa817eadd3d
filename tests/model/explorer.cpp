#include "tests/model/explorer.h"

#include <cstdio>
#include <memory>
#include <unordered_set>

// Saves the callee-saved registers on this stack, its top in *from, and goes on with the stack whose top is `to`.
extern "C" void footrace_model_switch(void** from, void* to);
asm(R"(
  .text
  .globl footrace_model_switch
  .type footrace_model_switch, @function
footrace_model_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
  .size footrace_model_switch, .-footrace_model_switch
)");

namespace footrace::model {

// No value, and no hash, is one that nothing changes: equal values one behind the other must not undo each other.
u64 mix(u64 hash, u64 value) {
  value = (value + 0x632b'e59b'd9b4'e019) * 0xff51'afd7'ed55'8ccd;
  hash = (hash ^ value ^ value >> 32) * 0x9e37'79b9'7f4a'7c15 + 1;
  return hash ^ hash >> 29;
}

namespace {

constexpr size_t kStack = 256 << 10;

struct Coroutine {
  std::unique_ptr<char[]> stack = std::make_unique<char[]>(kStack);
  void* top = nullptr;
  bool finished = true, waiting = false;
  std::vector<u64> looked_at; // since it last waited: which 16 bytes
  bool has_news = false;      // something was written there
  u64 history = 0;            // hash of all that it has observed and that may matter
  u64 access = 0;             // which it is in
  u64 scan = 0;               // hash of what it has observed in a scan
  struct Load {
    u64 where;
    u64 history; // before it
  };
  std::vector<Load> loads; // that it may come back to
  int awaits = -1;         // the thread that must end first
};

class Run {
public:
  Run(const Scenario& scenario) : scenario_(scenario), threads_(scenario.threads.size()) {}

  // Follows `path`, extends it with the first choice at each new state, and notes what else could be chosen.
  struct Choice {
    u32 taken, others;
  };
  bool once(std::vector<Choice>& path, std::unordered_set<u64>& seen);

  std::string failure;
  struct Note {
    int thread;
    const char* what;
    const volatile void* p;
    u64 first, second;
  };
  std::vector<Note> notes;
  std::string trace() const;
  int current = -1;

  void tell_news(u64 place) {
    for (Coroutine& t : threads_)
      for (u64 looked_at : t.looked_at) t.has_news |= looked_at == place;
  }
  void switch_out() { footrace_model_switch(&threads_[size_t(current)].top, main_top_); }
  Coroutine& self() { return threads_[size_t(current)]; }
  const Scenario& scenario() const { return scenario_; }
  void body() {
    scenario_.threads[size_t(current)]();
    self().finished = true;
    switch_out();
  }

private:
  void start(size_t index);
  void resume(size_t index) {
    current = int(index);
    footrace_model_switch(&main_top_, threads_[index].top);
    current = -1;
  }
  u32 enabled() const;
  bool all_finished() const;
  u64 state() const;

  const Scenario& scenario_;
  std::vector<Coroutine> threads_;
  void* main_top_ = nullptr;
};

Run* g_run;

void enter() { g_run->body(); }

void Run::start(size_t index) {
  Coroutine& t = threads_[index];
  t.finished = t.waiting = false;
  t.has_news = false;
  t.looked_at.clear();
  t.awaits = -1;
  t.history = index + 1;
  t.scan = 0;
  t.loads.clear();
  // As if `enter` had been called and had saved its registers; the stack is aligned as after a call.
  auto* words = reinterpret_cast<void**>(t.stack.get() + kStack - 64);
  words = reinterpret_cast<void**>(reinterpret_cast<u64>(words) & ~u64(15));
  *--words = nullptr; // where enter must not return to
  *--words = reinterpret_cast<void*>(&enter);
  for (u32 i = 0; i < 6; ++i) *--words = nullptr;
  t.top = words;
  resume(index); // up to its first point
}

u32 Run::enabled() const {
  u32 mask = 0;
  for (size_t i = 0; i < threads_.size(); ++i)
    if (const Coroutine& t = threads_[i];
        !t.finished && !(t.waiting && !t.has_news) && (t.awaits < 0 || threads_[size_t(t.awaits)].finished))
      mask |= 1u << i;
  return mask;
}

bool Run::all_finished() const {
  for (const Coroutine& t : threads_)
    if (!t.finished) return false;
  return true;
}

u64 Run::state() const {
  u64 hash = scenario_.fingerprint();
  for (const Coroutine& t : threads_) {
    hash = mix(mix(hash, t.history), t.scan);
    hash = mix(hash, t.finished * 4 + t.waiting * 2 + t.has_news);
  }
  return hash;
}

std::string Run::trace() const {
  std::string text;
  char line[160];
  for (const Note& n : notes) {
    std::snprintf(line, sizeof line, "%d: %-12s %-12s %08llx %08llx\n", n.thread, n.what,
                  scenario_.name_of(n.p).c_str(), (unsigned long long)n.first, (unsigned long long)n.second);
    text += line;
  }
  return text;
}

bool Run::once(std::vector<Choice>& path, std::unordered_set<u64>& seen) {
  failure.clear(), notes.clear();
  scenario_.setup();
  for (size_t i = 0; i < threads_.size(); ++i) start(i);
  bool known = false; // a state that was explored before: end the run, try nothing else
  for (size_t depth = 0; !all_finished(); ++depth) {
    u32 choices = enabled();
    if (!choices) {
      if (failure.empty()) failure = "all threads wait";
      return false; // their stacks are abandoned; nothing more can be run
    }
    u32 taken = u32(__builtin_ctz(choices));
    if (depth < path.size()) {
      taken = path[depth].taken;
      if (!(choices >> taken & 1)) {
        failure = "a run did not repeat itself";
        return false;
      }
    } else if (!known) {
      known = !seen.insert(state()).second;
      if (!known) path.push_back({taken, choices & ~(1u << taken)});
    }
    resume(taken);
  }
  if (failure.empty()) failure = scenario_.at_end();
  return failure.empty();
}

} // namespace

Outcome explore(const Scenario& scenario, u64 most_runs) {
  Outcome outcome;
  Run run(scenario);
  g_run = &run;
  std::vector<Run::Choice> path;
  std::unordered_set<u64> seen;
  while (outcome.runs < most_runs) {
    ++outcome.runs;
    if (!run.once(path, seen)) {
      outcome.failure = run.failure, outcome.trace = run.trace();
      break;
    }
    while (!path.empty() && !path.back().others) path.pop_back();
    if (path.empty()) {
      outcome.exhausted = true;
      break;
    }
    Run::Choice& choice = path.back();
    choice.taken = u32(__builtin_ctz(choice.others));
    choice.others &= ~(1u << choice.taken);
  }
  g_run = nullptr;
  outcome.states = seen.size();
  return outcome;
}

namespace {

// Where a thread is in the code: the return addresses on its stack.
u64 calling_context() {
  u64 hash = 0;
  for (auto* frame = static_cast<void**>(__builtin_frame_address(0)); frame;
       frame = static_cast<void**>(*frame))
    hash = mix(hash, reinterpret_cast<u64>(frame[1]));
  return hash;
}

} // namespace

int current_thread() { return g_run ? g_run->current : -1; }

void step() {
  if (current_thread() < 0) return;
  g_run->switch_out();
}
void observed(const volatile void* p, u64 value) {
  if (current_thread() < 0) return;
  g_run->self().looked_at.push_back(reinterpret_cast<u64>(p) / 16);
  g_run->self().history = mix(g_run->self().history, value);
}
void begin_access(u64 what) {
  if (current_thread() < 0) return;
  Coroutine& t = g_run->self();
  t.history = t.access = mix(u64(g_run->current) + 1, what);
  t.scan = 0;
  t.loads.clear();
}
void observed_no_more(const volatile void* p, bool is_first) {
  if (current_thread() < 0) return;
  Coroutine& t = g_run->self();
  const u64 where = mix(calling_context(), reinterpret_cast<u64>(p));
  if (is_first) t.history = mix(t.access, where), t.loads.clear();
  for (size_t i = 0; i < t.loads.size(); ++i)
    if (t.loads[i].where == where) {
      t.history = t.loads[i].history;
      t.loads.resize(i);
      break;
    }
  t.scan = 0;
  t.loads.push_back({where, t.history});
}
void begin_scan() {
  if (current_thread() < 0) return;
  Coroutine& t = g_run->self();
  t.history = mix(t.history, calling_context());
  t.scan = 0;
}
void observed_in_scan(const volatile void* p, u64 value) {
  if (current_thread() < 0) return;
  g_run->self().looked_at.push_back(reinterpret_cast<u64>(p) / 16);
  g_run->self().scan = mix(g_run->self().scan, value);
}
void wrote(const volatile void* p) {
  if (current_thread() < 0) return;
  g_run->tell_news(reinterpret_cast<u64>(p) / 16);
  if (std::string broken = g_run->scenario().at_write(); !broken.empty()) fail(broken.c_str());
}
void wait() {
  if (current_thread() < 0) return;
  Coroutine& t = g_run->self();
  t.waiting = true;
  g_run->switch_out();
  t.waiting = t.has_news = false;
  t.looked_at.clear();
}
void wait_for(size_t thread) {
  if (current_thread() < 0) return;
  g_run->self().awaits = int(thread);
  g_run->switch_out();
  g_run->self().awaits = -1;
}
void note(const char* what, const volatile void* p, u64 first, u64 second) {
  g_run->notes.push_back({g_run->current, what, p, first, second});
}
void fail(const char* what) {
  if (g_run && g_run->failure.empty()) g_run->failure = what;
}

} // namespace footrace::model
