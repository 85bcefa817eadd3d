#include "scan/domain/composition.h"

#include "scan/domain/flow.h"

namespace footrace::scan::domain {

std::optional<AccessKey> Composition::in_caller(const AccessKey& key) {
  const std::optional<Interned<il::Path>>& path = path_in_caller(key.path);
  if (!path) return std::nullopt;
  return AccessKey{*path,
                   key.kind,
                   locks_in_caller(key.locks),
                   owner_in_caller(key, *path),
                   std::max(key.order, context_.order),
                   key.waited || context_.waited,
                   turn_in_caller(key.turn)};
}

const std::optional<Interned<il::Path>>& Composition::path_in_caller(Interned<il::Path> path) {
  auto [entry, fresh] = paths_.try_emplace(path);
  if (!fresh) return entry->second;
  if (std::optional<il::Path> here = rules_.substitute(path, context_.actuals); here && may_be_shared(*here))
    entry->second = std::move(*here);
  return entry->second;
}

Interned<LockState> Composition::locks_in_caller(Interned<LockState> locks) {
  auto [entry, fresh] = locks_.try_emplace(locks);
  if (!fresh) return entry->second;
  LockState inner = domain::in_caller(locks, context_.actuals, rules_);
  if (context_.anew)
    std::erase_if(inner.held, [](const auto& held) { return il::is_told_role_lock(held.first.lock); });
  entry->second = rules_.add(context_.locks, inner);
  return entry->second;
}

Interned<Turn> Composition::turn_in_caller(Interned<Turn> turn) {
  auto [entry, fresh] = turns_.try_emplace(turn);
  if (!fresh) return entry->second;
  Turn here = context_.turn;
  if (options_.windows) {
    Window window = context_.window;
    window.call(turn->received, {turn->open, {}}, context_.actuals);
    here.open = window.open();
  }
  here.received.add(turn->received, context_.actuals);
  here.sent.add(turn->sent, context_.actuals);
  entry->second = std::move(here);
  return entry->second;
}

Interned<Owned> Composition::owner_in_caller(const AccessKey& key, const il::Path& path) const {
  static const Interned<Owned> nobody = not_owned();
  if (options_.domain != Domain::Ownership) return nobody;
  bool global = path.root.kind == il::RootKind::Global && key.path->root.kind == il::RootKind::Global;
  return global ? key.unless : Interned<Owned>(precondition(key.unless, context_.owners));
}

} // namespace footrace::scan::domain
