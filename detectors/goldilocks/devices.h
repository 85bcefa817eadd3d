// Synchronisation as Goldilocks sees it (Elmas, Qadeer and Tasiran, PLDI'07, Figure 5): every operation is a list of transfers "if x is in
// the lock set, so is y", where x and y are threads and synchronisation devices. A lock set that contains a thread says: what that thread
// does next is ordered after the access.
//   acq(m)   m, readers of m -> t          rel(m)   t -> m               acq_shared(m)  m -> t       rel_shared(m)  t -> readers of m
//   fork(u)  t -> u                        join(u)  u -> t               vol_w(v)  t -> v            vol_r(v)  v -> t
//   arrive(b)  t -> b                      leave(b)  b -> t
//   atomics  load: a -> t, or for an acquire fence that may follow a -> pending(t); store: a is forgotten, then t or the last release fence -> a;
//            rmw: as a load, and then as a store that forgets nothing; fences: pending(t) -> t, t -> fence(t)
#pragma once

#include "detectors/common/sync.h"

namespace footrace::detectors {

enum class Device : u8 { Thread, Lock, Readers, Volatile, Barrier, Atomic, Pending, Fence };

// A device's number. That of a device that is gone is used again: whoever follows the list forgets the old one first.
using Element = u32;

// If `from` is in the set, `to` is as well. from == to: it is no more.
struct Transfer {
  Element from, to;
};

class Devices {
public:
  Element thread(u32 number) { return element(Device::Thread, number); }
  // Appends what the event does before its accesses, and behind them.
  void before(const Event& event, std::vector<Transfer>& transfers);
  void after(const Event& event, std::vector<Transfer>& transfers);

private:
  struct Key {
    Device device;
    u64 a, b;
    auto operator<=>(const Key&) const = default;
  };
  Element element(Device device, u64 a, u64 b = 0);
  using Found = std::map<Key, Element>::iterator;
  Found erase(Found device, std::vector<Transfer>& transfers);
  void forget_atomics(const Event& event, std::vector<Transfer>& transfers);

  std::map<Key, Element> elements_;
  std::map<std::pair<u64, u64>, u64> inside_; // of barriers
  std::vector<Element> free_;                 // numbers of devices that are gone
  Element used_ = 0;
};

} // namespace footrace::detectors
