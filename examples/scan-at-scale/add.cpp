#include "counter.h"

void Counter::add() {
  std::lock_guard<std::mutex> guard(mutex_);
  ++value_;
}
