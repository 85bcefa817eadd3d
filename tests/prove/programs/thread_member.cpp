// A handle is moved into a member and joined there.
// VERDICT: race-free by may-happen-in-parallel
#include <thread>
struct Worker {
  int n = 0;
  std::thread t;
  void start() {
    t = std::thread([this] { n = 1; });
  }
  void stop() { t.join(); }
};
int main() {
  Worker w;
  w.start();
  w.stop();
  return w.n;
}
