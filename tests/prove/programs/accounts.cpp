// Each account has its lock; a transfer takes both.
// VERDICT: race-free
#include <mutex>
#include <thread>
struct Account {
  std::mutex m;
  int balance = 100;
};
void transfer(Account& from, Account& to, int n) {
  std::scoped_lock l(from.m, to.m);
  from.balance -= n;
  to.balance += n;
}
int main() {
  Account a, b;
  std::thread t([&] { transfer(a, b, 5); });
  std::thread u([&] { transfer(b, a, 3); });
  t.join();
  u.join();
  return a.balance + b.balance;
}
