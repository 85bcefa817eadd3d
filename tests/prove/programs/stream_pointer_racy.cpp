// VERDICT: pairs
// The bytes of an address go through a stream.
#include <mutex>
#include <sstream>
#include <thread>

static std::mutex mutex;
static std::stringstream bytes;
static int shared;

static void work() {
  int* received = nullptr;
  {
    std::lock_guard<std::mutex> guard(mutex);
    bytes.read(reinterpret_cast<char*>(&received), sizeof received);
  }
  *received = 1; // RACE
}

int main() {
  int* sent = &shared;
  bytes.write(reinterpret_cast<const char*>(&sent), sizeof sent);
  std::thread thread(work);
  shared = 2; // RACE
  thread.join();
  return 0;
}
