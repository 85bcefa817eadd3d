// A complete finding for the tests of the writers.
#pragma once

#include "findings/finding.h"

namespace footrace::findings {

inline StackFrame sample_frame(std::string function, std::string file, unsigned line, unsigned column,
                               std::string module = "", std::uint64_t offset = 0) {
  return {std::move(function), "", {std::move(file), line, column}, std::move(module), offset, false};
}

inline Finding sample_finding() {
  StackFrame worker = sample_frame("worker(int)", "/src/bank.cpp", 20, 3, "/bin/bank", 0x1234);
  StackFrame main = sample_frame("main", "/src/bank.cpp", 30, 1, "/bin/bank", 0x1300);
  StackFrame deposit = sample_frame("deposit(Account&, int)", "/src/bank.cpp", 12, 15);
  deposit.linkage_name = "_Z7depositR7Accounti";

  Access current;
  current.kind = AccessKind::Write;
  current.size = 4;
  current.address = 0x7b10;
  current.thread = 1;
  current.expression = "account.balance";
  current.use = "update";
  current.stack = {deposit, worker, sample_frame("start_thread", "", 0, 0, "/lib/libc.so.6", 0x88)};

  Access previous;
  previous.kind = AccessKind::Read;
  previous.size = 8;
  previous.address = 0x7b10;
  previous.thread = 0;
  previous.expression = "account.balance";
  previous.use = "read";
  previous.stack = {sample_frame("audit()", "/src/bank.cpp", 18, 7), main};
  StackFrame guard = sample_frame("std::lock_guard<std::mutex>::lock_guard(std::mutex&)",
                                  "/usr/include/c++/12/bits/std_mutex.h", 229, 11, "/bin/bank", 0x1400);
  previous.locks = {{0x4050,
                     "bank_mutex",
                     LockMode::Exclusive,
                     {guard, sample_frame("audit()", "/src/bank.cpp", 17, 5, "/bin/bank", 0x1208), main}}};

  Finding finding;
  finding.program = "/bin/bank";
  finding.pid = 123;
  finding.accesses = {current, previous};
  Memory memory;
  memory.region = Region::Heap;
  memory.address = 0x7b10;
  memory.begin = 0x7b08;
  memory.size = 40;
  memory.thread = 0;
  memory.allocated = {main};
  finding.memory = memory;
  finding.threads = {{0, "bank", 123, false, std::nullopt, {}}, {1, "worker", 124, true, 0, {main}}};
  seal(finding);
  return finding;
}

} // namespace footrace::findings
