// What the numeric programs share: a reusable barrier and the checksum of a floating-point result.
#pragma once

#include "program.h"

#include <condition_variable>
#include <mutex>

namespace bench {

// Built on a mutex and a condition variable, so that every detector understands it. A waiting thread sleeps.
class Barrier {
public:
  explicit Barrier(unsigned threads) : threads_(threads) {}

  void wait() {
    std::unique_lock lock(mutex_);
    const unsigned phase = phase_;
    if (++arrived_ == threads_) {
      arrived_ = 0;
      ++phase_;
      all_here_.notify_all();
    } else {
      all_here_.wait(lock, [&] { return phase != phase_; });
    }
  }

private:
  const unsigned threads_;
  std::mutex mutex_;
  std::condition_variable all_here_;
  unsigned arrived_ = 0, phase_ = 0;
};

// Seven digits of x: another libm or fused multiply-add changes the last bits, which is no wrong result.
inline uint64_t rounded(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6e", x);
  uint64_t h = 0;
  for (const char* c = text; *c; ++c) h = mix(h, uint64_t(*c));
  return h;
}

} // namespace bench
