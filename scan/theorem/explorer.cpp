#include "scan/theorem/explorer.h"

#include "scan/il/text.h"

#include <algorithm>
#include <deque>
#include <set>

namespace footrace::scan::theorem {

namespace {

constexpr std::size_t max_steps = 2'000; // of one thread: programs without recursion are far shorter

struct Backbone {
  Address start;  // what the roots of both paths point to
  Address target; // the address of the path
};

// Lemma B.7.
Backbone make_backbone(Heap& heap, const il::Path& path) {
  Address start{heap.make(Heap::elsewhere), {}};
  Address at = start;
  std::size_t first = 1;
  if (path.root.kind == il::RootKind::Global) {
    at = {Heap::globals, {il::field(path.root.name)}};
    first = 0;
  }
  for (std::size_t i = first; i < path.steps.size(); ++i) {
    if (path.steps[i].kind != il::StepKind::Deref) {
      at.fields.push_back(path.steps[i]);
      continue;
    }
    Address next{heap.make(Heap::elsewhere), {}};
    heap.write(at, next);
    at = next;
  }
  return {start, at};
}

// Where in the method a statement is; blocks that leave the method, if there is no location.
std::set<unsigned> blocks_with(const il::Method& method, const il::Location* at) {
  std::set<unsigned> found;
  for (unsigned b = 0; b < method.blocks.size(); ++b) {
    const il::Block& block = method.blocks[b];
    bool wanted = at ? std::any_of(block.statements.begin(), block.statements.end(),
                                   [&](const il::Statement& s) { return s.at == *at; })
                     : block.successors.empty();
    if (wanted) found.insert(b);
  }
  return found;
}

// The successor of `from` that is next on a shortest way to one of `goals`; nothing if there is no way.
std::optional<unsigned> successor_towards(const il::Method& method, unsigned from,
                                          const std::set<unsigned>& goals) {
  std::set<unsigned> seen;
  std::deque<std::pair<unsigned, unsigned>> work; // block, first step that led to it
  const auto& successors = method.blocks[from].successors;
  for (unsigned i = 0; i < successors.size(); ++i) work.emplace_back(successors[i], i);
  while (!work.empty()) {
    auto [block, first] = work.front();
    work.pop_front();
    if (goals.contains(block)) return first;
    if (!seen.insert(block).second) continue;
    for (unsigned next : method.blocks[block].successors) work.emplace_back(next, first);
  }
  return std::nullopt;
}

bool holds_locks(const State& state, unsigned thread) {
  return std::any_of(state.locks.begin(), state.locks.end(), [&](const auto& lock) {
    return lock.second[thread].exclusive || lock.second[thread].shared;
  });
}

class Construction {
public:
  Construction(const il::Program& program, const Claim& claim, const Routes& routes)
      : semantics_(program), writes_{claim.a_writes, claim.b_writes}, holds_{claim.a_holds, claim.b_holds},
        routes_{&routes.a, &routes.b} {
    bool a_longer = claim.a_path.steps.size() >= claim.b_path.steps.size();
    backbone_ = make_backbone(initial_.heap, a_longer ? claim.a_path : claim.b_path);
    enter(0, *claim.a, claim.a_path.root);
    enter(1, *claim.b, claim.b_path.root);
  }

  bool run() {
    if (holds_[0] && holds_[1]) return weave();
    return one_after_the_other(holds_[0] ? 1 : 0);
  }

private:
  void enter(unsigned thread, const il::Method& method, const il::Root& root) {
    std::vector<Address> actuals(method.formals.size(), {Heap::elsewhere, {}});
    if (root.kind == il::RootKind::Formal && root.index < actuals.size())
      actuals[root.index] = backbone_.start;
    semantics_.call(initial_.threads[thread], method, std::move(actuals), {});
  }

  // Definition 3.6 on the next statements, for the path of the claim.
  bool races(const State& state) const {
    for (const Touch& a : semantics_.touches(state, 0))
      for (const Touch& b : semantics_.touches(state, 1))
        if (is_the_access(a, 0) && is_the_access(b, 1) && must_overlap(a.at, b.at)) return true;
    return false;
  }
  bool is_the_access(const Touch& touch, unsigned thread) const {
    return touch.write == writes_[thread] && must_overlap(touch.at, backbone_.target);
  }

  // The statement on the route that the innermost call has to reach; none: it is not on the route and should end.
  const il::Location* goal(const Thread& thread, const Route& route) const {
    std::size_t depth = thread.stack.size();
    if (depth > route.size()) return nullptr;
    for (std::size_t i = 0; i + 1 < depth; ++i) {
      const Frame& frame = thread.stack[i];
      if (frame.method->blocks[frame.block].statements[frame.index - 1].at != route[i]) return nullptr;
    }
    return &route[depth - 1];
  }
  // Ends of blocks are left at once: they touch nothing. False if there is no way to the goal.
  bool settle(State& state, unsigned thread) const {
    Thread& mine = state.threads[thread];
    while (!mine.stack.empty() && !semantics_.next(mine)) {
      const Frame& frame = mine.stack.back();
      if (semantics_.choices(mine) == 0) {
        semantics_.choose(mine, 0);
        continue;
      }
      std::set<unsigned> goals = blocks_with(*frame.method, goal(mine, *routes_[thread]));
      std::optional<unsigned> successor = successor_towards(*frame.method, frame.block, goals);
      if (!successor) return false;
      semantics_.choose(mine, *successor);
    }
    return !mine.stack.empty();
  }
  bool has_arrived(const State& state, unsigned thread) const {
    const Thread& mine = state.threads[thread];
    const Route& route = *routes_[thread];
    const il::Location* at = goal(mine, route);
    return at == &route.back() && semantics_.next(mine)->at == *at;
  }

  // One thread alone, as far as the other lets it.
  bool run_to_access(State& state, unsigned thread) const {
    for (std::size_t steps = 0; steps < max_steps; ++steps) {
      if (!settle(state, thread)) return false;
      if (has_arrived(state, thread)) return true;
      if (!semantics_.may_step(state, thread)) return false;
      semantics_.step(state, thread);
    }
    return false;
  }

  // The proof of Theorem 6.10: `first` holds no lock when its access is next, so the other can run.
  bool one_after_the_other(unsigned first) const {
    State state = initial_;
    return run_to_access(state, first) && !holds_locks(state, first) && run_to_access(state, 1 - first) &&
           races(state);
  }

  bool weave() {
    State state = initial_;
    return settle(state, 0) && settle(state, 1) && weave(state, {0, 0});
  }
  using Progress = std::array<std::size_t, 2>;
  bool weave(const State& state, Progress progress) {
    if (!seen_.insert(progress).second || progress[0] + progress[1] > max_steps) return false;
    std::array<bool, 2> arrived{has_arrived(state, 0), has_arrived(state, 1)};
    if (arrived[0] && arrived[1]) return races(state);
    for (unsigned thread : {0u, 1u}) {
      if (arrived[thread] || !semantics_.may_step(state, thread)) continue;
      State next = state;
      semantics_.step(next, thread);
      Progress further = progress;
      ++further[thread];
      if (settle(next, thread) && weave(next, further)) return true;
    }
    return false;
  }

  Semantics semantics_;
  bool writes_[2], holds_[2];
  const Route* routes_[2];
  State initial_;
  Backbone backbone_;
  std::set<Progress> seen_;
};

} // namespace

std::string describe(const Claim& claim) {
  auto side = [](const il::Method& method, const il::Path& path, bool writes, bool holds) {
    return method.name.text() + (writes ? " writes " : " reads ") + print(path) +
           (holds ? " with a lock" : " without a lock");
  };
  return side(*claim.a, claim.a_path, claim.a_writes, claim.a_holds) + ", " +
         side(*claim.b, claim.b_path, claim.b_writes, claim.b_holds);
}

bool find_race(const il::Program& program, const Claim& claim, const Routes& routes) {
  return Construction(program, claim, routes).run();
}

} // namespace footrace::scan::theorem
