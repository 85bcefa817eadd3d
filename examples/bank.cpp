// A bank whose tellers move money between two accounts, each account under its own lock. Transfers are
// counted without one.
//   ./footrace check examples/bank.cpp
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

class Account {
public:
  explicit Account(long balance) : balance_(balance) {}

  void deposit(long amount) {
    std::lock_guard<std::mutex> guard(mutex_);
    balance_ += amount;
  }

  long balance() {
    std::lock_guard<std::mutex> guard(mutex_);
    return balance_;
  }

private:
  std::mutex mutex_;
  long balance_;
};

class Bank {
public:
  void transfer(Account& from, Account& to, long amount) {
    transfers_++; // the race: every teller writes it, and no lock protects it
    from.deposit(-amount);
    to.deposit(amount);
  }

  long transfers() const { return transfers_; }

private:
  long transfers_ = 0;
};

int main() {
  Bank bank;
  Account savings(1000), current(1000);

  std::vector<std::thread> tellers;
  for (int i = 0; i < 2; i++)
    tellers.emplace_back([&] {
      for (int day = 0; day < 100; day++) bank.transfer(savings, current, 1);
    });
  for (std::thread& teller : tellers) teller.join();

  std::printf("%ld in all after %ld transfers\n", savings.balance() + current.balance(), bank.transfers());
}
