#include "scan/domain/hand_off.h"

#include <algorithm>

namespace footrace::scan::domain {

namespace {

Flags flag_of(const il::Call& call, il::CallKind kind) {
  Flags flags;
  if (call.kind == kind && !call.actuals.empty() && call.actuals[0].kind == il::ValueKind::Address)
    flags.add({call.actuals[0].path, call.callee});
  return flags;
}

bool may_be_one_value(il::Name a, il::Name b) {
  return a == b || a == il::Name("any") || b == il::Name("any");
}

bool may_see(const Flags& sent, const il::Root& sender, const Flags& received, const il::Root& receiver) {
  auto one_atomic = [&](const il::Path& a, const il::Path& b) {
    bool same_root =
        a.root.kind == il::RootKind::Global ? a.root == b.root : a.root == sender && b.root == receiver;
    return same_root && a.steps == b.steps;
  };
  return std::ranges::any_of(sent.all(), [&](const Flag& out) {
    return std::ranges::any_of(received.all(), [&](const Flag& in) {
      return one_atomic(out.atomic, in.atomic) && may_be_one_value(out.value, in.value);
    });
  });
}

} // namespace

void Flags::add(const Flag& flag) {
  if (flag.atomic.root.kind != il::RootKind::Local && all_.size() < max_flags) all_.insert(flag);
}

void Flags::add(const Flags& other) {
  for (const Flag& flag : other.all_) add(flag);
}

void Flags::add(const Flags& callee, const Substitution& actuals) {
  for (const Flag& flag : callee.all_)
    if (auto here = substitute(flag.atomic, actuals)) add(Flag{*here, flag.value});
}

Flags received_by(const il::Call& call) { return flag_of(call, il::CallKind::Receive); }
Flags sent_by(const il::Call& call) { return flag_of(call, il::CallKind::Send); }

bool may_be_handed_over(const Turn& a, const il::Root& a_root, const Turn& b, const il::Root& b_root) {
  return may_see(a.sent, a_root, b.received, b_root) || may_see(b.sent, b_root, a.received, a_root);
}

bool has_own_turn(const Turn& turn) {
  return std::ranges::any_of(turn.received.all(), [&](const Flag& in) {
    return std::ranges::any_of(turn.sent.all(), [&](const Flag& out) { return in.atomic == out.atomic; });
  });
}

std::vector<Flags> sent_from(const il::Method& method, std::vector<Flags> sends) {
  if (std::ranges::all_of(sends, &Flags::empty)) return sends;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = method.blocks.size(); b-- > 0;) {
      Flags all = sends[b];
      for (unsigned next : method.blocks[b].successors) all.add(sends[next]);
      if (all == sends[b]) continue;
      sends[b] = std::move(all);
      changed = true;
    }
  }
  return sends;
}

} // namespace footrace::scan::domain
