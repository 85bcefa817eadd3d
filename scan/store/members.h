// The members of what a summary is made of, for writing and reading it. A structured binding names all of them: a member that is
// added elsewhere does not compile until it is added here.
#pragma once

#include "scan/domain/summary.h"

#include <concepts>
#include <tuple>

namespace footrace::scan::store {

template <class T, class Type>
concept Is = std::same_as<std::remove_const_t<T>, Type>;

auto members(Is<il::Root> auto& x) {
  auto& [kind, index, name] = x;
  return std::tie(kind, index, name);
}
auto members(Is<il::Step> auto& x) {
  auto& [kind, field] = x;
  return std::tie(kind, field);
}
auto members(Is<il::Path> auto& x) {
  auto& [root, steps] = x;
  return std::tie(root, steps);
}
auto members(Is<il::Value> auto& x) {
  auto& [kind, path] = x;
  return std::tie(kind, path);
}
auto members(Is<il::Location> auto& x) {
  auto& [file, line, column] = x;
  return std::tie(file, line, column);
}
auto members(Is<domain::Wobble> auto& x) {
  auto& [leaked, changed] = x;
  return std::tie(leaked, changed);
}
auto members(Is<domain::LockKey> auto& x) {
  auto& [lock, mode] = x;
  return std::tie(lock, mode);
}
auto members(Is<domain::LockState> auto& x) {
  auto& [held, released, acquired, nested, assumed] = x;
  return std::tie(held, released, acquired, nested, assumed);
}
auto members(Is<domain::LockHistory> auto& x) {
  auto& [maybe, let_go, maybe_released] = x;
  return std::tie(maybe, let_go, maybe_released);
}
auto members(Is<domain::Owned> auto& x) {
  auto& [unowned, formals] = x;
  return std::tie(unowned, formals);
}
auto members(Is<domain::Flag> auto& x) {
  auto& [atomic, value] = x;
  return std::tie(atomic, value);
}
auto members(Is<domain::Turn> auto& x) {
  auto& [received, sent, open] = x;
  return std::tie(received, sent, open);
}
auto members(Is<domain::Window> auto& x) {
  auto& [opened, closed] = x;
  return std::tie(opened, closed);
}
auto members(Is<domain::Invocation> auto& x) {
  auto& [formal, function, actuals, locks, order] = x;
  return std::tie(formal, function, actuals, locks, order);
}
auto members(Is<domain::AccessKey> auto& x) {
  auto& [path, kind, locks, unless, order, waited, turn] = x;
  return std::tie(path, kind, locks, unless, order, waited, turn);
}
auto members(Is<domain::CallSite> auto& x) {
  auto& [callee, at] = x;
  return std::tie(callee, at);
}
auto members(Is<domain::AccessPlace> auto& x) {
  auto& [calls, at] = x;
  return std::tie(calls, at);
}
auto members(Is<domain::Summary> auto& x) {
  auto& [wobbly, locks, history, accesses, returned, returned_owned, returned_known, returns, ends_program,
         spawns, joins, ends_threads, waits, received, sent, window, invocations, calls, left_out] = x;
  return std::tie(wobbly, locks, history, accesses, returned, returned_owned, returned_known, returns,
                  ends_program, spawns, joins, ends_threads, waits, received, sent, window, invocations,
                  calls, left_out);
}

} // namespace footrace::scan::store
