#include "detectors/goldilocks/devices.h"

namespace footrace::detectors {

Element Devices::element(Device device, u64 a, u64 b) {
  const auto [found, is_new] = elements_.try_emplace(Key{device, a, b}, 0);
  if (!is_new) return found->second;
  // A thread has a number of its own: it is asked for in sets that have not followed the list to its end.
  const bool is_new_number = free_.empty() || device == Device::Thread;
  found->second = is_new_number ? used_++ : free_.back();
  if (!is_new_number) free_.pop_back();
  return found->second;
}

Devices::Found Devices::erase(Found device, std::vector<Transfer>& transfers) {
  transfers.push_back({device->second, device->second});
  free_.push_back(device->second);
  return elements_.erase(device);
}

void Devices::forget_atomics(const Event& e, std::vector<Transfer>& transfers) {
  for (auto at = elements_.lower_bound({Device::Atomic, e.target, 0});
       at != elements_.end() && at->first.device == Device::Atomic && at->first.a < e.target + e.extent;)
    at = erase(at, transfers);
}

void Devices::before(const Event& e, std::vector<Transfer>& transfers) {
  const Element t = thread(e.thread);
  const auto learn = [&](Device device, u64 a, u64 b = 0) {
    transfers.push_back({element(device, a, b), t});
  };
  switch (e.kind) {
  case EventKind::Acquire:
    learn(Device::Readers, e.target);
    [[fallthrough]];
  case EventKind::AcquireShared:
    return learn(Device::Lock, e.target);
  case EventKind::Join:
    return learn(Device::Thread, u32(e.target));
  case EventKind::VolatileRead:
    return learn(Device::Volatile, e.target);
  case EventKind::BarrierLeave:
    return learn(Device::Barrier, e.target, e.extent);
  case EventKind::AtomicLoad:
  case EventKind::AtomicCasFail:
  case EventKind::AtomicRmw:
    if (has_acquire(e.order)) return learn(Device::Atomic, e.target);
    transfers.push_back({element(Device::Atomic, e.target), element(Device::Pending, e.thread)});
    return;
  case EventKind::Fence:
    if (has_acquire(e.order)) learn(Device::Pending, e.thread);
    return;
  default:
    return;
  }
}

void Devices::after(const Event& e, std::vector<Transfer>& transfers) {
  const Element t = thread(e.thread);
  const auto publish = [&](Device device, u64 a, u64 b = 0) {
    transfers.push_back({t, element(device, a, b)});
  };
  switch (e.kind) {
  case EventKind::Release:
    return publish(Device::Lock, e.target);
  case EventKind::ReleaseShared:
    return publish(Device::Readers, e.target);
  case EventKind::Fork:
    return publish(Device::Thread, u32(e.target));
  case EventKind::VolatileWrite:
    return publish(Device::Volatile, e.target);
  case EventKind::BarrierArrive:
    ++inside_[{e.target, e.extent}];
    return publish(Device::Barrier, e.target, e.extent);
  case EventKind::BarrierLeave:
    if (const auto inside = inside_.find({e.target, e.extent});
        inside != inside_.end() && --inside->second == 0) {
      inside_.erase(inside);
      erase(elements_.find({Device::Barrier, e.target, e.extent}), transfers);
    }
    return;
  case EventKind::AtomicStore: { // the old release sequence ends
    const Element a = element(Device::Atomic, e.target);
    transfers.push_back({a, a});
    [[fallthrough]];
  }
  case EventKind::AtomicRmw:
    if (has_release(e.order))
      publish(Device::Atomic, e.target);
    else
      transfers.push_back({element(Device::Fence, e.thread), element(Device::Atomic, e.target)});
    return;
  case EventKind::Fence:
    if (has_release(e.order)) publish(Device::Fence, e.thread);
    return;
  case EventKind::Alloc:
  case EventKind::Free:
    return forget_atomics(e, transfers);
  default:
    return;
  }
}

} // namespace footrace::detectors
