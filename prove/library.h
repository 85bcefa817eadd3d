// What library functions mean to a proof: which threads they start, which locks they take, what they do to memory.
// The table is library.def. A function that is neither there nor in the program is unknown code.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace llvm {
class CallBase;
class Function;
} // namespace llvm

namespace footrace::prove {

enum class Role {
  None,         // only what its letters say
  Spawn,        // starts argument 2 as a thread (C11: argument 1) with the argument after it
  SpawnState,   // starts _M_run of the std::thread state that argument 1 holds
  Join,         // waits for the thread whose handle is argument 0
  JoinObject,   // waits for the thread whose handle is behind argument 0
  Detach,       // the thread whose handle is argument 0 is never joined
  DetachObject, // ... whose handle is behind argument 0
  Exit,         // ends the calling thread
  Once,         // runs argument 1 once; the others wait until it is done
  KeyCreate,    // argument 1 is a destructor of thread-specific data
  SetSpecific,  // thread-specific data
  GetSpecific,
  Handler,       // argument 1 is a signal handler
  HandlerRecord, // argument 1 is a record that begins with a signal handler
  Lock,          // of argument 0
  LockShared,
  TryLock, // if the result is 0
  TryLockShared,
  Unlock,
  LockVerifier, // the one lock of __VERIFIER_atomic_begin
  UnlockVerifier,
  LockGuard, // of a static local variable's guard, if the result is not 0
  UnlockGuard,
  Wait, // may be ordered after other threads
  BarrierInit,
  Barrier,
  LatchInit,   // argument 1 is how often it has to be counted down
  LatchArrive, // counts down by argument 1
  LatchWait,
  Allocate,
  AllocateInto,    // through argument 0
  AllocateRecords, // through argument 3: records that point to each other
  Reallocate,
  Free,
  Register,   // keeps what is behind argument 3 for Retrieve
  Retrieve,   // leaves what was registered behind argument 1
  Send,       // bytes of its first argument that is read, to a file or another end of a descriptor
  Receive,    // such bytes, to its first argument that is written
  Scan,       // what the format, the last fixed argument, says
  KeepBuffer, // goes on using argument 1
  SystemCall, // known if its number is a constant that only waits, or asks who calls
  Unmodelled, // is listed: it finds code or data by name, or jumps
  Copy,       // of bytes from argument 1 to argument 0
  AtomicLoad, // from argument 1 to argument 2
  AtomicStore,
  AtomicExchange,
  AtomicCompare,
  Cursor,   // leaves a pointer into argument 0 behind argument 1
  Sort,     // calls argument 3 with elements of argument 0
  Search,   // calls argument 4 with argument 0 and elements of argument 1
  Callback, // calls argument 0 at the end of the program; those that are known are called there (prepare.cpp)
};

struct LibraryFunction {
  llvm::StringRef name;
  Role role;
  llvm::StringRef letters; // one per argument; the last stands for all that follow
  char result;             // see library.def

  char letter(unsigned argument) const;
};

const LibraryFunction* find_library_function(llvm::StringRef name);
// The variable that stands for the library's static data that the function writes; empty: there is none.
std::string library_state(llvm::StringRef name);
// Whether it only reads that data.
bool only_reads_state(llvm::StringRef name);
// std::cout and the like.
bool is_standard_stream(llvm::StringRef variable);
// The function that the call names directly, if it has no body and is in the table.
const LibraryFunction* library_function(const llvm::CallBase& call);

// Which argument of a Spawn is the start routine; the next one is its argument.
unsigned start_routine_argument(const LibraryFunction& spawn);

// Bytes that the function copies between what its arguments point to.
struct CopiedArguments {
  unsigned to, from;
};
llvm::ArrayRef<CopiedArguments> copied_arguments(Role role);

bool may_acquire(Role role);         // ordered after what other threads did
bool may_call_back_often(Role role); // what it is given may run any number of times before it returns

} // namespace footrace::prove
