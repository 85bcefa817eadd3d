// Races that a run, scan and prove all find: on a member, and on a global that one thread reads and the other writes.
#include <mutex>
#include <thread>

struct Totals {
  long paid = 0;
  long refunds = 0;
};

class Ledger {
public:
  void pay(long amount) {
    totals_.paid += amount; // RACE
    std::lock_guard<std::mutex> guard(mutex_);
    totals_.refunds += amount;
  }
  void refund(long amount) {
    std::lock_guard<std::mutex> guard(mutex_);
    totals_.refunds -= amount;
  }

private:
  std::mutex mutex_;
  Totals totals_;
};

int limit = 100;
Ledger ledger;

void clerk() {
  limit = 200; // RACE
  ledger.pay(1);
  ledger.refund(1);
}

int main() {
  std::thread first(clerk), second(clerk);
  first.join();
  second.join();
}
