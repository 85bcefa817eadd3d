// Two threads that share a counter under a lock, and every way for a process to end: endings HOW
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

static std::mutex lock;
static long counter;

static void count(int times) {
  for (int i = 0; i < times; ++i) {
    std::lock_guard<std::mutex> guard(lock);
    ++counter;
  }
}

static void on_signal(int) {
  if (lock.try_lock()) {
    ++counter;
    lock.unlock();
  }
}

int main(int argc, char** argv) {
  const std::string how = argc > 1 ? argv[1] : "";
  constexpr int times = 20'000; // more than a ring holds
  if (how == "signals") {
    signal(SIGUSR1, on_signal);
    std::thread sender([] {
      for (int i = 0; i < 200; ++i) kill(getpid(), SIGUSR1);
    });
    count(times);
    sender.join();
    return 0;
  }
  if (how == "close-all") {
    count(10);
    for (int i = 3; i < 1024; ++i) close(i);
  }
  if (how == "threads") {
    for (int round = 0; round < 20; ++round) {
      std::vector<std::thread> team;
      for (int i = 0; i < 20; ++i) team.emplace_back(count, 10);
      for (std::thread& t : team) t.join();
    }
    return 0;
  }
  if (how == "signal-by-lock") { // taken here, released there
    static std::mutex ready;
    static long message;
    ready.lock();
    std::thread sender([] {
      for (int i = 0; i < 50; ++i) message += i;
      ready.unlock();
    });
    ready.lock();
    const bool is_right = message == 1225;
    ready.unlock();
    sender.join();
    return is_right ? 0 : 5;
  }
  std::thread other(count, times);
  count(times);
  if (how == "kill") kill(getpid(), SIGKILL);
  if (how == "crash") abort();
  if (how == "exit") exit(3);
  if (how == "_exit") _exit(4);
  other.join();
  if (how == "exec") execl(argv[0], argv[0], nullptr);
  if (how == "fork") {
    lock.lock(); // the child's trace begins with a lock that it holds
    if (!fork()) {
      ++counter;
      lock.unlock();
      std::thread(count, 10).join();
      exit(0);
    }
    lock.unlock();
    usleep(300'000);
  }
  return 0;
}
