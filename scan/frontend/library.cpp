#include "scan/frontend/library.h"

#include "scan/frontend/names.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/Attr.h"
#include "clang/AST/DeclCXX.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/AST/ExprCXX.h"
#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/StringSwitch.h"

namespace footrace::scan::frontend {

namespace {

const clang::CXXRecordDecl* record_of(clang::QualType type) {
  return type.getNonReferenceType().getCanonicalType()->getAsCXXRecordDecl();
}

bool is_library_record(const clang::CXXRecordDecl& record) {
  return record.getASTContext().getSourceManager().isInSystemHeader(record.getLocation()) ||
         record.isInStdNamespace();
}

bool is_lock_name(llvm::StringRef name) {
  static const llvm::StringSet<> names = {"std::mutex",
                                          "std::timed_mutex",
                                          "std::recursive_mutex",
                                          "std::recursive_timed_mutex",
                                          "std::shared_mutex",
                                          "std::shared_timed_mutex",
                                          "absl::Mutex",
                                          "boost::mutex",
                                          "boost::timed_mutex",
                                          "boost::recursive_mutex",
                                          "boost::recursive_timed_mutex",
                                          "boost::shared_mutex",
                                          "boost::upgrade_mutex",
                                          "folly::SharedMutex",
                                          "folly::SpinLock",
                                          "tbb::spin_mutex",
                                          "QMutex",
                                          "QReadWriteLock",
                                          "QRecursiveMutex"};
  return names.contains(name);
}

bool is_guard_name(llvm::StringRef name) {
  static const llvm::StringSet<> names = {"std::lock_guard",
                                          "std::unique_lock",
                                          "std::scoped_lock",
                                          "std::shared_lock",
                                          "absl::MutexLock",
                                          "absl::ReaderMutexLock",
                                          "absl::WriterMutexLock",
                                          "boost::lock_guard",
                                          "boost::unique_lock",
                                          "boost::shared_lock",
                                          "boost::shared_lock_guard",
                                          "boost::mutex::scoped_lock",
                                          "QMutexLocker",
                                          "QReadLocker",
                                          "QWriteLocker"};
  return names.contains(name);
}

bool is_synchronised_name(llvm::StringRef name) {
  static const llvm::StringSet<> names = {"std::atomic",
                                          "std::__atomic_base",
                                          "std::atomic_flag",
                                          "std::atomic_ref",
                                          "std::thread",
                                          "std::jthread",
                                          "std::condition_variable",
                                          "std::condition_variable_any",
                                          "std::future",
                                          "std::__basic_future",
                                          "std::shared_future",
                                          "std::promise",
                                          "std::packaged_task",
                                          "std::once_flag",
                                          "std::counting_semaphore",
                                          "std::latch",
                                          "std::barrier",
                                          "std::stop_source",
                                          "std::stop_token",
                                          "std::basic_ostream",
                                          "std::basic_istream",
                                          "absl::CondVar",
                                          "absl::Notification",
                                          "absl::once_flag",
                                          "absl::BlockingCounter",
                                          "boost::thread",
                                          "boost::condition_variable",
                                          "boost::atomic",
                                          "std::__atomic_float",
                                          "std::basic_ios",
                                          "std::ios_base"};
  return names.contains(name);
}

bool is_atomic_name(llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases(
          {"std::atomic", "std::__atomic_base", "std::__atomic_float", "std::atomic_ref", "std::atomic_flag"},
          true)
      .Cases({"boost::atomic", "boost::atomics::atomic", "boost::atomic_flag"}, true)
      .Default(false);
}

// BasicLockable, and not a guard of some other lock.
bool has_lock_and_unlock(const clang::CXXRecordDecl& record) {
  if (!record.hasDefinition() || record.isLambda()) return false;
  bool locks = false, unlocks = false;
  for (const clang::CXXMethodDecl* method : record.methods()) {
    if (!method->getDeclName().isIdentifier() || method->getNumParams() != 0 || method->isStatic()) continue;
    locks |= lock_call(method->getName()) == LockCall::Lock;
    unlocks |= lock_call(method->getName()) == LockCall::Unlock;
  }
  if (!locks || !unlocks) return false;
  for (const clang::FieldDecl* field : record.fields()) {
    clang::QualType type = field->getType();
    if ((type->isPointerType() || type->isReferenceType()) && is_lockable(type->getPointeeType()))
      return false;
    if (kind_of(type) == TypeKind::Guard && !type->isReferenceType()) return false;
  }
  return true;
}

// From a public base that can be locked; not a guard that has a guard as its base.
bool inherits_lock(const clang::CXXRecordDecl& record) {
  return record.hasDefinition() && llvm::any_of(record.bases(), [](const clang::CXXBaseSpecifier& base) {
           return base.getAccessSpecifier() == clang::AS_public && is_lockable(base.getType());
         });
}

// Others have lock() and unlock() as well: an account with its balance, a socket.
bool does_nothing_else(const clang::CXXRecordDecl& record) {
  return llvm::all_of(record.methods(), [](const clang::CXXMethodDecl* method) {
    bool plain = method->getDeclName().isIdentifier() && method->isUserProvided();
    if (!plain || method->isConst() || method->isStatic() || method->getAccess() != clang::AS_public)
      return true;
    llvm::StringRef name = method->getName();
    return name.contains_insensitive("lock") || name.starts_with("get") || name == "native_handle";
  });
}

bool is_pointer_name(llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"std::unique_ptr", "std::shared_ptr", "std::__shared_ptr", "std::weak_ptr", "boost::shared_ptr",
              "boost::scoped_ptr"},
             true)
      .Cases({"std::__shared_ptr_access", "boost::intrusive_ptr", "std::reference_wrapper"}, true)
      .Default(false);
}

bool is_pthread_lock(llvm::StringRef name) {
  return name == "pthread_mutex_t" || name == "pthread_rwlock_t" || name == "pthread_spinlock_t" ||
         name == "mtx_t";
}

// The C types are typedefs of unions and integers.
bool has_c_type(clang::QualType type, bool (*test)(llvm::StringRef)) {
  for (const auto* alias = type->getAs<clang::TypedefType>(); alias;
       alias = alias->getDecl()->getUnderlyingType()->getAs<clang::TypedefType>())
    if (test(alias->getDecl()->getName())) return true;
  return false;
}

bool is_c_synchronised(llvm::StringRef name) {
  return name == "pthread_t" || name == "pthread_cond_t" || name == "pthread_once_t" ||
         name == "pthread_barrier_t" || name == "sem_t" || name == "cnd_t" || name == "thrd_t" ||
         name == "once_flag" || name == "pthread_key_t";
}

} // namespace

bool is_library(const clang::FunctionDecl& function) {
  return function.getASTContext().getSourceManager().isInSystemHeader(function.getLocation());
}

TypeKind kind_of(clang::QualType type) {
  type = type.getNonReferenceType();
  if (has_c_type(type, is_pthread_lock)) return TypeKind::Lock;
  if (has_c_type(type, is_c_synchronised) || type->isAtomicType()) return TypeKind::Synchronised;
  const clang::CXXRecordDecl* record = record_of(type);
  if (!record) return TypeKind::Scalar;
  std::string name = plain_name(*record);
  if (is_lock_name(name) || record->hasAttr<clang::CapabilityAttr>()) return TypeKind::Lock;
  if (is_guard_name(name) || record->hasAttr<clang::ScopedLockableAttr>()) return TypeKind::Guard;
  if (is_synchronised_name(name)) return TypeKind::Synchronised;
  if (is_pointer_name(name)) return TypeKind::Pointer;
  if (is_library_record(*record)) return TypeKind::Value;
  return has_lock_and_unlock(*record) && does_nothing_else(*record) ? TypeKind::Lock : TypeKind::User;
}

bool is_lockable(clang::QualType type) {
  TypeKind kind = kind_of(type);
  const clang::CXXRecordDecl* record = kind == TypeKind::User ? record_of(type) : nullptr;
  return kind == TypeKind::Lock || (record && (has_lock_and_unlock(*record) || inherits_lock(*record)));
}

LockCall lock_call(llvm::StringRef method) {
  return llvm::StringSwitch<LockCall>(method)
      .Cases({"lock", "Lock", "WriterLock", "lockForWrite"}, LockCall::Lock)
      .Cases({"unlock", "Unlock", "WriterUnlock"}, LockCall::Unlock)
      .Cases({"try_lock", "TryLock", "try_lock_for", "try_lock_until", "tryLock"}, LockCall::TryLock)
      .Cases({"lock_shared", "ReaderLock", "lockForRead"}, LockCall::LockShared)
      .Cases({"unlock_shared", "ReaderUnlock"}, LockCall::UnlockShared)
      .Cases({"try_lock_shared", "ReaderTryLock", "try_lock_shared_for", "try_lock_shared_until"},
             LockCall::TryLockShared)
      .Cases({"AssertHeld", "AssertReaderHeld"}, LockCall::AssertHeld)
      .Default(LockCall::None);
}

LockCall lock_function(llvm::StringRef function) {
  return llvm::StringSwitch<LockCall>(function)
      .Cases({"pthread_mutex_lock", "pthread_rwlock_wrlock", "pthread_spin_lock", "mtx_lock"}, LockCall::Lock)
      .Cases({"pthread_mutex_unlock", "pthread_rwlock_unlock", "pthread_spin_unlock", "mtx_unlock"},
             LockCall::Unlock)
      .Cases({"pthread_mutex_trylock", "pthread_rwlock_trywrlock", "pthread_spin_trylock", "mtx_trylock",
              "pthread_mutex_timedlock", "pthread_mutex_clocklock", "pthread_rwlock_timedwrlock",
              "mtx_timedlock"},
             LockCall::TryLock)
      .Case("pthread_rwlock_rdlock", LockCall::LockShared)
      .Cases({"pthread_rwlock_tryrdlock", "pthread_rwlock_timedrdlock"}, LockCall::TryLockShared)
      .Default(LockCall::None);
}

bool only_reads(llvm::StringRef method) {
  return llvm::StringSwitch<bool>(method)
      .Cases({"begin", "end", "rbegin", "rend", "cbegin", "cend", "data", "find"}, true)
      .Cases({"lower_bound", "upper_bound", "equal_range", "get", "value", "operator*", "operator->"}, true)
      .Default(selects_element(method));
}

bool has_fixed_parts(clang::QualType type) {
  const clang::CXXRecordDecl* record = record_of(type);
  return record && llvm::StringSwitch<bool>(plain_name(*record))
                       .Cases({"std::array", "std::pair", "std::tuple"}, true)
                       .Default(false);
}

bool ends_elements(llvm::StringRef method) {
  return llvm::StringSwitch<bool>(method)
      .Cases({"clear", "erase", "pop_back", "pop_front", "pop", "reset", "operator="}, true)
      .Default(false);
}

bool selects_element(llvm::StringRef method) {
  return llvm::StringSwitch<bool>(method)
      .Cases({"operator[]", "at", "front", "back", "top"}, true)
      .Default(false);
}

FunctionKind function_kind(const clang::FunctionDecl& function) {
  if (!function.getDeclName().isIdentifier()) return FunctionKind::Other;
  return llvm::StringSwitch<FunctionKind>(plain_name(function))
      .Cases({"std::move", "std::forward", "std::as_const", "std::ref", "std::cref"},
             FunctionKind::PassThrough)
      .Case("std::addressof", FunctionKind::AddressOf)
      .Cases({"std::make_unique", "std::make_shared", "std::allocate_shared"}, FunctionKind::MakePointer)
      .Cases({"malloc", "calloc", "strdup"}, FunctionKind::MakePointer)
      .Cases({"std::swap", "std::iter_swap"}, FunctionKind::Swap)
      .Case("std::exchange", FunctionKind::Exchange)
      .Cases({"std::lock", "boost::lock", "std::try_lock"}, FunctionKind::LockAll)
      .Cases({"std::call_once", "absl::call_once", "pthread_once"}, FunctionKind::CallOnce)
      .Cases({"std::async", "pthread_create", "thrd_create"}, FunctionKind::Spawn)
      .Cases({"pthread_join", "thrd_join"}, FunctionKind::Join)
      .Cases({"pthread_tryjoin_np", "pthread_timedjoin_np", "pthread_clockjoin_np"}, FunctionKind::TryJoin)
      .Cases({"pthread_cond_wait", "pthread_cond_timedwait", "cnd_wait", "cnd_timedwait"}, FunctionKind::Wait)
      .Case("pthread_atfork", FunctionKind::AtFork)
      .Cases({"memcpy", "memmove", "strcpy", "strncpy", "std::memcpy"}, FunctionKind::CopyMemory)
      .Cases({"memset", "bzero", "std::memset"}, FunctionKind::SetMemory)
      .Default(FunctionKind::Other);
}

AtomicOp atomic_op(const clang::FunctionDecl& function) {
  const auto* method = clang::dyn_cast<clang::CXXMethodDecl>(&function);
  bool of_atomic = method && is_atomic_name(plain_name(*method->getParent()));
  if (method && !of_atomic) return AtomicOp::None;
  if (of_atomic && clang::isa<clang::CXXConversionDecl>(method)) return AtomicOp::Load;
  if (!function.getDeclName().isIdentifier())
    return !of_atomic                                                            ? AtomicOp::None
           : function.getOverloadedOperator() == clang::OO_Equal                 ? AtomicOp::Store
           : function.getDeclName().getCXXOverloadedOperator() != clang::OO_None ? AtomicOp::Modify
                                                                                 : AtomicOp::None;
  llvm::StringRef name = function.getName();
  if (!of_atomic && !name.consume_front("atomic_")) return AtomicOp::None;
  name.consume_front("flag_");
  name.consume_back("_explicit");
  return llvm::StringSwitch<AtomicOp>(name)
      .Cases({"load", "test", "wait"}, AtomicOp::Load)
      .Cases({"store", "clear"}, AtomicOp::Store)
      .Cases({"exchange", "test_and_set", "compare_exchange_weak", "compare_exchange_strong"},
             AtomicOp::Modify)
      .Cases({"fetch_add", "fetch_sub", "fetch_or", "fetch_and", "fetch_xor"}, AtomicOp::Modify)
      .Default(AtomicOp::None);
}

HandOff hand_off_of(const clang::FunctionDecl& function) {
  constexpr HandOff sends{true, false, false}, receives{false, true, false}, both{true, true, false};
  constexpr HandOff notifies{true, false, true}, waits{false, true, true};
  if (!function.getDeclName().isIdentifier()) return {};
  const auto* method = clang::dyn_cast<clang::CXXMethodDecl>(&function);
  llvm::StringRef name = function.getName();
  if (!method)
    return llvm::StringSwitch<HandOff>(name)
        .Case("sem_post", sends)
        .Cases({"sem_wait", "sem_trywait", "sem_timedwait", "sem_clockwait"}, receives)
        .Case("pthread_barrier_wait", both)
        .Cases({"pthread_cond_signal", "pthread_cond_broadcast", "cnd_signal", "cnd_broadcast"}, notifies)
        .Cases({"pthread_cond_wait", "pthread_cond_timedwait", "cnd_wait", "cnd_timedwait"}, waits)
        .Default({});
  std::string of_class = plain_name(*method->getParent());
  if (of_class == "std::promise") return name == "set_value" || name == "set_exception" ? sends : HandOff{};
  if (of_class == "absl::CondVar" || llvm::StringRef(of_class).contains("condition_variable"))
    return name.starts_with_insensitive("wait")                       ? waits
           : name.starts_with("notify") || name.starts_with("Signal") ? notifies
                                                                      : HandOff{};
  bool meets = llvm::StringSwitch<bool>(of_class)
                   .Cases({"std::counting_semaphore", "std::latch", "std::barrier"}, true)
                   .Cases({"absl::Notification", "absl::BlockingCounter"}, true)
                   .Default(false);
  if (!meets) return {};
  return llvm::StringSwitch<HandOff>(name)
      .Cases({"release", "count_down", "arrive", "arrive_and_drop", "Notify", "DecrementCount"}, sends)
      .Cases({"acquire", "try_acquire", "try_acquire_for", "try_acquire_until", "wait", "try_wait"}, receives)
      .Cases({"WaitForNotification", "WaitForNotificationWithTimeout", "HasBeenNotified", "Wait"}, receives)
      .Case("arrive_and_wait", both)
      .Default({});
}

bool makes_process(const clang::FunctionDecl& function) {
  return function.getIdentifier() && (function.getName() == "fork" || function.getName() == "vfork");
}

bool is_pointer_to_this(const clang::FunctionDecl& function) {
  return function.getDeclName().isIdentifier() &&
         (function.getName() == "shared_from_this" || function.getName() == "weak_from_this");
}

static bool is_or_holds(clang::QualType type, bool (*is_one)(llvm::StringRef)) {
  const clang::CXXRecordDecl* record =
      record_of(clang::QualType(type.getNonReferenceType()->getBaseElementTypeUnsafe(), 0));
  if (!record) return false;
  if (is_one(plain_name(*record))) return true;
  const auto* container = clang::dyn_cast<clang::ClassTemplateSpecializationDecl>(record);
  return container && container->isInStdNamespace() && container->getTemplateArgs().size() > 0 &&
         container->getTemplateArgs()[0].getKind() == clang::TemplateArgument::Type &&
         is_or_holds(container->getTemplateArgs()[0].getAsType(), is_one);
}

bool joins_at_end(clang::QualType type) {
  return is_or_holds(type, [](llvm::StringRef name) { return name == "std::jthread"; });
}

bool holds_future(clang::QualType type) {
  return is_or_holds(
      type, [](llvm::StringRef name) { return name == "std::future" || name == "std::shared_future"; });
}

bool has_name_of_a_queue(const clang::FunctionDecl& function) {
  if (clang::isa<clang::CXXConstructorDecl>(function)) return true; // of a thread, as a rule
  if (!function.getDeclName().isIdentifier()) return false;
  std::string name = function.getName().lower();
  for (llvm::StringRef word : {"submit", "enqueue", "post", "schedule", "async", "spawn", "execute", "task",
                               "dispatch", "queue", "push", "detach", "run", "start", "defer"})
    if (llvm::StringRef(name).contains(word)) return true;
  return false;
}

// Of an object of the namespace itself: views are looked at later.
bool is_range_algorithm(const clang::FunctionDecl& function) {
  const auto* method = clang::dyn_cast<clang::CXXMethodDecl>(&function);
  if (!method || function.getOverloadedOperator() != clang::OO_Call) return false;
  const auto* space = clang::dyn_cast<clang::NamespaceDecl>(
      method->getParent()->getDeclContext()->getEnclosingNamespaceContext());
  while (space && space->isInline()) space = clang::dyn_cast<clang::NamespaceDecl>(space->getParent());
  return space && space->getName() == "ranges" && space->getParent()->isStdNamespace();
}

// Of std::ranges: __sort_fn, of libc++ __sort.
static bool changes_range(const clang::FunctionDecl& function) {
  llvm::StringRef name = clang::cast<clang::CXXMethodDecl>(function).getParent()->getName();
  name.consume_front("__");
  name.consume_back("_fn");
  return llvm::StringSwitch<bool>(name)
      .Cases({"sort", "stable_sort", "partial_sort", "nth_element", "reverse", "rotate", "shuffle"}, true)
      .Cases({"fill", "generate", "iota", "unique", "remove", "remove_if", "replace", "replace_if"}, true)
      .Cases({"partition", "stable_partition", "inplace_merge", "next_permutation", "prev_permutation"}, true)
      .Cases({"make_heap", "push_heap", "pop_heap", "sort_heap", "shift_left", "shift_right"}, true)
      .Default(false);
}

bool calls_at_once(const clang::FunctionDecl& function) {
  if (function_kind(function) == FunctionKind::CallOnce || is_range_algorithm(function)) return true;
  if (!function.getDeclName().isIdentifier()) return false;
  bool kept = llvm::StringSwitch<bool>(function.getName())
                  .Cases({"signal", "atexit", "at_quick_exit", "set_terminate", "set_new_handler"}, true)
                  .Default(false);
  llvm::StringRef name = function.getName();
  return name == "qsort" || name == "bsearch" || (function.isInStdNamespace() && !kept);
}

// std::begin(x), std::get<0>(x), std::tie(x)
static bool hands_out_part(const clang::FunctionDecl& function) {
  llvm::StringRef name = function.getDeclName().isIdentifier() ? function.getName() : "";
  return function.isInStdNamespace() &&
         llvm::StringSwitch<bool>(name)
             .Cases({"begin", "end", "rbegin", "rend", "data", "size", "ssize", "empty"}, true)
             .Cases({"get", "get_if", "tie", "to_address", "ref", "launder"}, true)
             .Default(false);
}

bool may_change_argument(const clang::FunctionDecl& function, std::size_t index) {
  if (hands_out_part(function)) return false;
  if (is_range_algorithm(function)) return index == 0 && changes_range(function);
  const clang::FunctionDecl* pattern = function.getTemplateInstantiationPattern();
  if (!pattern || pattern->getNumParams() == 0) return true;
  // A pack is the last of them.
  std::size_t declared = std::min<std::size_t>(index, pattern->getNumParams() - 1);
  clang::QualType type = pattern->getParamDecl(unsigned(declared))->getType();
  if (const auto* pack = type->getAs<clang::PackExpansionType>()) type = pack->getPattern();
  const auto* reference = type->getAs<clang::RValueReferenceType>();
  return !reference || !reference->getPointeeType()->getAs<clang::TemplateTypeParmType>();
}

bool holds_callable(clang::QualType type) {
  const clang::CXXRecordDecl* record = record_of(type);
  if (!record) return false;
  std::string name = plain_name(*record);
  return record->isLambda() || name == "std::function" || name == "std::move_only_function" ||
         name == "std::packaged_task";
}

bool is_thread_type(clang::QualType type) {
  const clang::CXXRecordDecl* record = record_of(type);
  if (!record) return false;
  std::string name = plain_name(*record);
  return name == "std::thread" || name == "std::jthread" || name == "boost::thread";
}

} // namespace footrace::scan::frontend
