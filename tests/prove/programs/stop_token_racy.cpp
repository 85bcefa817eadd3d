// A request to stop does not wait for the end.
// VERDICT: pairs
#include <stop_token>
#include <thread>

int steps;

int main() {
  std::jthread thread([](std::stop_token stop) {
    while (!stop.stop_requested()) steps++; // RACE
  });
  thread.request_stop();
  return steps; // RACE
}
