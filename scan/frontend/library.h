// What types and functions of libraries mean: the only place that knows their names.
#pragma once

#include "clang/AST/Decl.h"
#include "clang/AST/Type.h"

#include <optional>

namespace footrace::scan::frontend {

enum class TypeKind {
  User,         // a class whose methods are lowered
  Scalar,       // no class at all
  Lock,         // a mutex: lock(), unlock()
  Guard,        // holds locks for its lifetime
  Synchronised, // atomics, condition variables, threads, futures: never raced on
  Pointer,      // owns or shares what it points to
  Value,        // library object: const functions read it, others write it (section 7.2, containers)
};

TypeKind kind_of(clang::QualType type);
bool is_library(const clang::FunctionDecl& function); // declared in a header of the system
// A lock, or a class of the user's that can be locked and does other things as well.
bool is_lockable(clang::QualType type);

enum class LockCall { None, Lock, Unlock, TryLock, LockShared, UnlockShared, TryLockShared, AssertHeld };
// Of a member function of a lock or guard type.
LockCall lock_call(llvm::StringRef method);
// pthread_mutex_lock(&m) and its kin: the lock is the first argument.
LockCall lock_function(llvm::StringRef function);

// Whether a member function of a library class only looks at the object, though it is not const.
bool only_reads(llvm::StringRef method);
// Its parts lie in the object itself: to name one reads nothing.
bool has_fixed_parts(clang::QualType type);
// It returns a reference or pointer to one of many: operator[], at, front, ...
bool selects_element(llvm::StringRef method);
// A method of a container that ends some of its elements.
bool ends_elements(llvm::StringRef method);

enum class FunctionKind {
  Other,
  PassThrough, // std::move, std::forward, std::as_const: the argument itself
  AddressOf,
  MakePointer, // std::make_unique, std::make_shared
  Swap,
  Exchange,
  LockAll, // std::lock(a, b)
  CallOnce,
  Spawn, // std::async, pthread_create, std::thread's constructor
  Join,
  TryJoin, // 0 if it is over
  Wait,
  AtFork,     // pthread_atfork(prepare, parent, child)
  CopyMemory, // memcpy(to, from, n)
  SetMemory,
};
FunctionKind function_kind(const clang::FunctionDecl& function);

enum class AtomicOp { None, Load, Store, Modify };
// Of std::atomic's member functions and of the functions that are given a pointer to one.
AtomicOp atomic_op(const clang::FunctionDecl& function);
bool is_thread_type(clang::QualType type);
// fork(), vfork(): the child has one thread.
bool makes_process(const clang::FunctionDecl& function);
// Semaphores, latches, barriers, condition variables: what is done before sending comes before what is done after receiving.
struct HandOff {
  bool sends = false, receives = false;
  bool to_one = false; // of many who wait: a condition variable
};
HandOff hand_off_of(const clang::FunctionDecl& function);
// shared_from_this()
bool is_pointer_to_this(const clang::FunctionDecl& function);
// A library function that calls what it is given before it returns.
bool calls_at_once(const clang::FunctionDecl& function);
// The call operator of std::ranges::sort and the others, which are objects.
bool is_range_algorithm(const clang::FunctionDecl& function);
// A library function may change what it is given by reference as this argument. Not if it only hands out a part of it
// (std::begin, std::get), or passes on what it is given (T&&).
bool may_change_argument(const clang::FunctionDecl& function, std::size_t index);
// A closure, or a std::function that keeps one.
bool holds_callable(clang::QualType type);
// Its destructor waits for the thread: std::jthread, and containers of them.
bool joins_at_end(clang::QualType type);
// A future, or a container of them.
bool holds_future(clang::QualType type);
// A function that takes work and has it done later, to judge by its name: submit, enqueue, post.
bool has_name_of_a_queue(const clang::FunctionDecl& function);

} // namespace footrace::scan::frontend
