// A whole program: who calls what is known, so a function that is only called in order needs no lock of its own.
#include <mutex>
#include <thread>

class Table {
public:
  void put_ok(int n) {
    std::lock_guard<std::mutex> guard(mutex_);
    grow_ok();
    size_ = n;
  }
  int get_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    return size_ + capacity_ + limit_ + hits_;
  }
  // Every call has the lock.
  void grow_ok() { capacity_ = size_ + 1; }
  // Called before there are threads.
  void reserve_ok(int n) { limit_ = n; }
  // Called with the lock by put_twice_ok, and without by main's thread.
  void hit_bad() { ++hits_; }
  void put_twice_ok() {
    std::lock_guard<std::mutex> guard(mutex_);
    hit_bad();
  }
  // Called before there are threads, and given away: nobody knows who else calls it.
  static void reset_bad(Table* table) { table->size_ = 0; }
  void dump_bad() { last_ = size_; }

private:
  std::mutex mutex_;
  int size_ = 0, capacity_ = 0, limit_ = 0, hits_ = 0, last_ = 0;
};

void (*hooks[])(Table*) = {&Table::reset_bad};

int progress = 0, prepared = 0;

void count() { ++progress; }

void work(Table& table) {
  table.put_ok(prepared);
  table.hit_bad();
  table.put_twice_ok();
  table.dump_bad();
  count();
}

int main() {
  Table table;
  table.reserve_ok(100);
  Table::reset_bad(&table);
  prepared = 1;
  std::thread thread([&table] { work(table); });
  int seen = progress;
  thread.join();
  prepared = 2;
  return seen + table.get_ok() + progress;
}
