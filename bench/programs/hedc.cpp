// hedc: a search over several archives of solar observations: a pool of threads fetches pages (here: makes
// them up from the task's seed), parses them and posts the records found.
// Papers: FastTrack Tables 1-3 (three races around the thread pool), RedCard Tables 1-2.
// Sharing: tasks pass through a queue to the workers, results back through a second lock. With --racy a
// worker leaves its task (task->worker) and adds to the pool's statistics without a lock, while the
// requester looks at both. Certain in every run: after the last result has been posted, nothing that the
// worker does is ordered with what the requester does, for they share the results lock only.
#include "program.h"

#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>

using namespace bench;

namespace {

constexpr uint64_t wanted_energy = 20'000; // of up to 25,000

struct Record {
  std::string instrument;
  uint64_t time = 0, energy = 0;
};

struct Worker {
  unsigned number;
  uint64_t bytes = 0;
};

struct Task {
  uint64_t seed;
  Worker* worker = nullptr; // who is at it
  std::vector<std::unique_ptr<Record>> records;
};

class TaskQueue {
public:
  void put(Task* task) {
    std::lock_guard lock(mutex_);
    tasks_.push_back(task);
    changed_.notify_one();
  }
  void close() {
    std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }
  Task* take() { // null when there will be no more
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return closed_ || !tasks_.empty(); });
    if (tasks_.empty()) return nullptr;
    Task* task = tasks_.front();
    tasks_.pop_front();
    return task;
  }

private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Task*> tasks_;
  bool closed_ = false;
};

std::string fetch(uint64_t seed) {
  static constexpr const char* instruments[] = {"rhessi", "phoenix", "soho", "trace", "yohkoh"};
  Random random(seed);
  std::string page = "<catalogue>\n";
  for (int i = 0; i < 60; ++i) {
    page += "<event instrument=";
    page += instruments[random.below(5)];
    page += " time=" + std::to_string(random.below(1'000'000'000));
    page += " energy=" + std::to_string(random.below(25'000)) + ">\n";
  }
  return page + "</catalogue>\n";
}

std::unique_ptr<Record> parse_event(const std::string& line) {
  auto value_of = [&](const std::string& key) {
    const size_t at = line.find(key + "=");
    if (at == std::string::npos) return std::string();
    const size_t from = at + key.size() + 1;
    return line.substr(from, line.find_first_of(" >", from) - from);
  };
  auto record = std::make_unique<Record>();
  record->instrument = value_of("instrument");
  record->time = std::stoull(value_of("time"));
  record->energy = std::stoull(value_of("energy"));
  return record;
}

void parse(const std::string& page, Task& task) {
  for (size_t at = 0; at < page.size();) {
    const size_t end = page.find('\n', at);
    const std::string line = page.substr(at, end - at);
    if (line.starts_with("<event"))
      if (auto record = parse_event(line); record->energy >= wanted_energy)
        task.records.push_back(std::move(record));
    at = end + 1;
  }
}

class Search {
public:
  Search(bool racy, size_t tasks) : racy_(racy) {
    for (size_t i = 0; i < tasks; ++i)
      tasks_.push_back(std::make_unique<Task>(Task{.seed = i, .records = {}}));
  }

  void work(unsigned number) {
    auto self = std::make_unique<Worker>(Worker{.number = number});
    while (Task* task = queue_.take()) {
      task->worker = self.get();
      const std::string page = fetch(task->seed);
      self->bytes += page.size();
      parse(page, *task);
      if (!racy_) task->worker = nullptr;
      {
        std::lock_guard lock(results_mutex_);
        ++results_;
        result_posted_.notify_one();
      }
      if (racy_) task->worker = nullptr;
    }
    std::unique_lock lock(results_mutex_, std::defer_lock);
    if (!racy_) lock.lock();
    bytes_ += self->bytes;
  }

  // Returns how many tasks looked busy although all results were there.
  uint64_t request() {
    for (const auto& task : tasks_) queue_.put(task.get());
    queue_.close();
    {
      std::unique_lock lock(results_mutex_);
      result_posted_.wait(lock, [&] { return results_ == tasks_.size(); });
    }
    uint64_t busy = 0;
    for (const auto& task : tasks_) busy += task->worker != nullptr;
    if (racy_) busy += bytes_ == 0;
    return busy;
  }

  // When the workers have gone.
  uint64_t checksum() const {
    std::map<std::string, uint64_t> by_instrument;
    for (const auto& task : tasks_)
      for (const auto& record : task->records) {
        uint64_t& sum = by_instrument[record->instrument];
        sum = mix(sum, record->time * 31 + record->energy);
      }
    uint64_t sum = bytes_;
    for (const auto& [instrument, value] : by_instrument) sum = mix(sum, value);
    return sum;
  }

private:
  const bool racy_;
  std::vector<std::unique_ptr<Task>> tasks_;
  TaskQueue queue_;
  std::mutex results_mutex_;
  std::condition_variable result_posted_;
  size_t results_ = 0;
  uint64_t bytes_ = 0;
};

uint64_t hedc(const Config& config) {
  Search search(config.racy, config.pick<size_t>(800, 14'000, 100'000));
  std::vector<std::thread> pool;
  for (unsigned i = 0; i < config.threads; ++i) pool.emplace_back([&search, i] { search.work(i); });
  const uint64_t busy = search.request();
  for (std::thread& worker : pool) worker.join();
  return busy && !config.racy ? 1 : mix(search.checksum(), busy);
}

} // namespace

int main(int argc, char** argv) {
  return run_program(argc, argv, true, {0x930f9d58dff13689, 0x8f5b0e60bbb8ae1b, 0xc0f95962c57dba7c}, hedc);
}
