#include "scan/domain/hand_off.h"

#include "scan/domain/digest.h"

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
  static const il::Name any("any");
  return a == b || a == any || b == any;
}

bool is_one_atomic(const il::Path& a, const il::Root& a_root, const il::Path& b, const il::Root& b_root) {
  bool same_root =
      a.root.kind == il::RootKind::Global ? a.root == b.root : a.root == a_root && b.root == b_root;
  return same_root && a.steps == b.steps;
}

// A flag in whose window the sender or the receiver is speaks of an earlier or a later turn.
bool may_see(const Turn& sender, const il::Root& sender_root, const Turn& receiver,
             const il::Root& receiver_root) {
  return std::ranges::any_of(sender.sent.all(), [&](const Flag& out) {
    return std::ranges::any_of(receiver.received.all(), [&](const Flag& in) {
      return is_one_atomic(out.atomic, sender_root, in.atomic, receiver_root) &&
             may_be_one_value(out.value, in.value) && !sender.open.has(out.atomic) &&
             !receiver.open.has(in.atomic);
    });
  });
}

} // namespace

std::size_t digest_of(const Flag& flag) {
  return mixed(digest_of(flag.atomic), std::hash<il::Name>()(flag.value));
}

std::size_t digest_of(const Turn& turn) {
  std::size_t digest = mixed(digest_of(turn.received.all()), digest_of(turn.sent.all()));
  return mixed(digest, digest_of(turn.open.all()));
}

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

void Flags::remove(const Flags& other) {
  std::erase_if(all_, [&](const Flag& flag) { return other.has(flag.atomic); });
}

void Flags::take_lock() {
  static const il::Name signal("signal");
  for (const Flag& flag : std::set(all_))
    if (flag.value == signal) add(Flag{flag.atomic, "signalled"});
}

bool Flags::has(const il::Path& atomic) const {
  return std::ranges::any_of(all_, [&](const Flag& flag) { return flag.atomic == atomic; });
}

void Window::send(const Flags& flags) {
  opened.add(flags);
  closed.remove(flags);
}

void Window::receive(const Flags& flags) {
  for (const Flag& flag : flags.all())
    if (opened.has(flag.atomic)) closed.add(flag);
}

void Window::call(const Flags& received, const Window& end, const Substitution& actuals) {
  Flags seen;
  seen.add(received, actuals);
  receive(seen);
  Flags sent, seen_again;
  sent.add(end.opened, actuals);
  seen_again.add(end.closed, actuals);
  send(sent);
  receive(seen_again);
}

Flags Window::open() const {
  Flags flags = opened;
  flags.remove(closed);
  return flags;
}

Window join(const Window& a, const Window& b) {
  Window both = a;
  both.opened.add(b.opened);
  both.closed.add(b.closed);
  return both;
}

Flags received_by(const il::Call& call) { return flag_of(call, il::CallKind::Receive); }
Flags sent_by(const il::Call& call) { return flag_of(call, il::CallKind::Send); }

bool may_be_handed_over(const Turn& a, const il::Root& a_root, const Turn& b, const il::Root& b_root) {
  return may_see(a, a_root, b, b_root) || may_see(b, b_root, a, a_root);
}

bool has_own_turn(const Turn& turn, const il::Root& root, const Turn& other, const il::Root& other_root) {
  return std::ranges::any_of(turn.received.all(), [&](const Flag& in) {
    if (in.value == il::Name("signalled")) return false; // a condition variable gives the turn to one of many
    bool meanwhile = std::ranges::any_of(other.open.all(), [&](const Flag& flag) {
      return is_one_atomic(in.atomic, root, flag.atomic, other_root);
    });
    return turn.sent.has(in.atomic) && !meanwhile;
  });
}

std::vector<std::vector<Flags>> sent_after(const il::Method& method, const SentBefore& before) {
  std::vector<Flags> from(method.blocks.size()); // the start of each block on
  std::vector<std::vector<Flags>> after(method.blocks.size());
  for (bool changed = true; changed;) {
    changed = false;
    for (unsigned b = unsigned(method.blocks.size()); b-- > 0;) {
      Flags sent;
      for (unsigned next : method.blocks[b].successors) sent.add(from[next]);
      std::size_t count = method.blocks[b].statements.size();
      after[b].assign(count + 1, sent);
      for (std::size_t i = count; i-- > 0;) {
        after[b][i] = sent;
        sent = before(b, i, std::move(sent));
      }
      Flags grown = from[b]; // what is there first is kept: only so many are
      grown.add(sent);
      changed |= grown != from[b];
      from[b] = std::move(grown);
    }
  }
  return after;
}

} // namespace footrace::scan::domain
