// RUN: %e2e %s
// std::jthread with a stop token: the request is ordered before what its observer does; callbacks, too.
#include "e2e.h"
#include <stop_token>
#include <thread>

int data, called;

int main() {
  std::jthread thread([](std::stop_token stop) {
    std::stop_callback callback(stop, [] { called = data; }); // NORACE
    while (!stop.stop_requested()) std::this_thread::yield();
    KEEP(data); // NORACE
  });
  data = 1; // NORACE
  thread.request_stop();
  thread.join();
  KEEP(called); // NORACE
}
