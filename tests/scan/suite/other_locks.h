// What abseil, boost and Qt declare, as far as the suite uses it.
#pragma once

namespace absl {
class Mutex {
public:
  void Lock();
  void Unlock();
  bool TryLock();
  void ReaderLock();
  void ReaderUnlock();
  void AssertHeld() const;
};
class MutexLock {
public:
  explicit MutexLock(Mutex* mutex);
  ~MutexLock();
};
class ReaderMutexLock {
public:
  explicit ReaderMutexLock(Mutex* mutex);
  ~ReaderMutexLock();
};
class WriterMutexLock {
public:
  explicit WriterMutexLock(Mutex* mutex);
  ~WriterMutexLock();
};
} // namespace absl

namespace boost {
template <class Mutex> class lock_guard {
public:
  explicit lock_guard(Mutex& mutex);
  ~lock_guard();
};
template <class Mutex> class unique_lock {
public:
  explicit unique_lock(Mutex& mutex);
  ~unique_lock();
  void lock();
  void unlock();
};
template <class Mutex> class shared_lock {
public:
  explicit shared_lock(Mutex& mutex);
  ~shared_lock();
};
class mutex {
public:
  using scoped_lock = unique_lock<mutex>;
  void lock();
  void unlock();
};
class shared_mutex {
public:
  void lock();
  void unlock();
  void lock_shared();
  void unlock_shared();
};
} // namespace boost

class QMutex {
public:
  void lock();
  void unlock();
};
class QMutexLocker {
public:
  explicit QMutexLocker(QMutex* mutex);
  ~QMutexLocker();
};
