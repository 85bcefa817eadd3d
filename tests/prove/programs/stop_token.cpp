// VERDICT: race-free
#include <stop_token>
#include <thread>

int steps;

int main() {
  {
    std::jthread thread([](std::stop_token stop) {
      while (!stop.stop_requested()) steps++;
    });
    thread.request_stop();
  }
  return steps;
}
