// A pool of threads that takes its tasks, each with memory of its own, out of a deque.
// ASSUME: queue-transfer
// VERDICT: race-free by ordering
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
struct Task {
  int input = 0, output = 0;
};
static std::mutex lock;
static std::condition_variable filled;
static std::deque<Task*> queue;
static void put(Task* task) {
  std::lock_guard<std::mutex> guard(lock);
  queue.push_back(task);
  filled.notify_one();
}
static Task* take() {
  std::unique_lock<std::mutex> guard(lock);
  filled.wait(guard, [] { return !queue.empty(); });
  Task* task = queue.front();
  queue.pop_front();
  return task;
}
static void work() {
  while (Task* task = take()) {
    task->output = task->input + 1;
    delete task;
  }
}
int main() {
  std::thread one(work), two(work);
  for (int i = 0; i < 10; i++) {
    Task* task = new Task;
    task->input = i;
    put(task);
  }
  put(nullptr);
  put(nullptr);
  one.join();
  two.join();
}
