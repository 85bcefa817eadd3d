// Clang's thread-safety attributes are specification: they are believed.
#define CAPABILITY(x) __attribute__((capability(x)))
#define SCOPED_CAPABILITY __attribute__((scoped_lockable))
#define GUARDED_BY(x) __attribute__((guarded_by(x)))
#define PT_GUARDED_BY(x) __attribute__((pt_guarded_by(x)))
#define REQUIRES(...) __attribute__((requires_capability(__VA_ARGS__)))
#define REQUIRES_SHARED(...) __attribute__((requires_shared_capability(__VA_ARGS__)))
#define ACQUIRE(...) __attribute__((acquire_capability(__VA_ARGS__)))
#define ACQUIRE_SHARED(...) __attribute__((acquire_shared_capability(__VA_ARGS__)))
#define RELEASE(...) __attribute__((release_capability(__VA_ARGS__)))
#define TRY_ACQUIRE(...) __attribute__((try_acquire_capability(__VA_ARGS__)))
#define EXCLUDES(...) __attribute__((locks_excluded(__VA_ARGS__)))
#define ASSERT_CAPABILITY(x) __attribute__((assert_capability(x)))

class CAPABILITY("mutex") Mutex {
public:
  void Lock() ACQUIRE();
  void Unlock() RELEASE();
  void ReaderLock() ACQUIRE_SHARED();
  bool TryLock() TRY_ACQUIRE(true);
  void AssertHeld() ASSERT_CAPABILITY(this);
};

class SCOPED_CAPABILITY MutexLock {
public:
  explicit MutexLock(Mutex* mutex) ACQUIRE(mutex);
  ~MutexLock() RELEASE();
};

class Account {
public:
  void locked_ok() {
    MutexLock lock(&mutex_);
    balance_ = 1;
  }
  void unlocked_bad() { balance_ = 2; }
  void after_scope_bad() {
    {
      MutexLock lock(&mutex_);
    }
    balance_ = 2;
  }
  void required_ok() REQUIRES(mutex_) { balance_ = 3; }
  int required_shared_ok() REQUIRES_SHARED(mutex_) { return balance_; }
  void by_hand_ok() EXCLUDES(mutex_) {
    mutex_.Lock();
    balance_ = 4;
    mutex_.Unlock();
  }
  // It takes the lock itself, says the contract: it does not.
  void excludes_bad() EXCLUDES(mutex_) { balance_ = 4; }
  void tried_ok() {
    if (mutex_.TryLock()) {
      balance_ = 5;
      mutex_.Unlock();
    }
  }
  void not_tried_bad() {
    if (!mutex_.TryLock())
      balance_ = 5;
    else
      mutex_.Unlock();
  }
  void asserted_ok() {
    mutex_.AssertHeld();
    balance_ = 6;
  }
  void calls_helper_ok() {
    MutexLock lock(&mutex_);
    helper();
  }
  void calls_locker_ok() {
    acquire();
    balance_ = 7;
    release();
  }
  void calls_locker_too_late_bad() {
    acquire();
    release();
    balance_ = 7;
  }
  int read_bad() { return balance_; }

private:
  void helper() REQUIRES(mutex_) { balance_ = 8; }
  void acquire() ACQUIRE(mutex_);
  void release() RELEASE(mutex_);

  Mutex mutex_;
  int balance_ GUARDED_BY(mutex_) = 0;
};

// The contract alone says that the field is shared.
class OnlyDeclared {
public:
  void write_bad() { value_ = 1; }
  int other_ok() { return other_; }

private:
  Mutex mutex_;
  int value_ GUARDED_BY(mutex_) = 0;
  int other_ = 0;
};

class [[clang::annotate("footrace::thread_safe")]] Declared {
public:
  void write_bad() { value_ = 1; }
  int constant_ok() const { return limit_; }

private:
  int value_ = 0;
  int limit_ = 0;
};

// PT_GUARDED_BY speaks of what the pointer leads to, GUARDED_BY of the pointer itself.
struct Node {
  int value = 0;
};
class Guards {
public:
  void pointee_bad() { pointee_->value = 1; }
  int pointee_locked_ok() {
    MutexLock lock(&mutex_);
    return pointee_->value;
  }
  bool pointer_ok() { return pointee_ != nullptr; }
  void pointer_bad() { pointer_ = nullptr; }
  int behind_pointer_ok() {
    MutexLock lock(&mutex_);
    Node* node = pointer_;
    return node->value;
  }

private:
  Mutex mutex_;
  Node* pointee_ PT_GUARDED_BY(mutex_) = nullptr;
  Node* pointer_ GUARDED_BY(mutex_) = nullptr;
};
