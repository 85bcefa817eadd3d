// A class with a race: `get` reads what `add` writes with the mutex.
#pragma once
#include <mutex>

class Counter {
public:
  void add();
  int get() const;

private:
  mutable std::mutex mutex_;
  int value_ = 0;
};
