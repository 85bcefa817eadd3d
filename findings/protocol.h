// What the runtime tells the reporter: one JSON object per line, addresses not yet symbolised
// (docs/findings.md). Damaged input is read as far as it goes: a program waits for the answer to every race
// it sends.
#pragma once

#include "findings/finding.h"

#include <map>

namespace footrace::findings {

struct Hello {
  std::uint64_t version = 0;
  std::uint64_t pid = 0;
  std::string program;
  std::map<std::string, std::string, std::less<>> options;
  std::string suppressions; // the program's own rules
};

struct Module {
  std::string path;
  std::uint64_t base = 0; // load bias
  std::uint64_t begin = 0, end = 0;
};

struct RawSite {
  SourceLocation location;
  std::string function; // linkage name
};

struct RawLock {
  std::uint64_t address = 0;
  LockMode mode = LockMode::Exclusive;
  std::optional<unsigned> after;
  std::vector<std::uint64_t> stack;
  std::uint64_t begin = 0, size = 0; // of the block on the heap that it is in
  std::vector<std::uint64_t> allocated;
};

struct RawAccess {
  AccessKind kind = AccessKind::Unknown;
  std::uint64_t size = 0;
  std::optional<std::uint64_t> address;
  std::optional<unsigned> thread;
  std::vector<RawSite> sites;          // the site, then what it was inlined into
  std::optional<std::uint64_t> record; // address of the site's record: tells the module
  std::optional<std::uint64_t> pc;     // instead of a site: caller of an intercepted function
  std::string intercepted;
  std::vector<std::uint64_t> stack;
  bool stack_lost = false;
  std::vector<RawLock> locks;
  bool locks_lost = false;
};

// Of the stack that holds the memory.
struct RawFrame {
  std::uint64_t address = 0; // canonical frame address; 0: not known
  std::uint64_t code = 0;    // in its function; 0: not known
  std::uint64_t returns = 0; // the return address
};

struct RawMemory {
  Region region = Region::Unknown;
  std::uint64_t address = 0, begin = 0, size = 0;
  std::optional<unsigned> thread;
  bool freed = false;
  std::vector<std::uint64_t> stack;
  std::uint64_t points_to = 0; // what is in the memory, if that is the address of something in a module
  RawFrame frame;
};

struct RawThread {
  unsigned number = 0;
  std::string name;
  std::uint64_t os_id = 0;
  bool finished = false;
  std::optional<unsigned> parent;
  std::vector<std::uint64_t> stack;
  std::optional<unsigned> joiner;
  bool joined = false;
  std::vector<std::uint64_t> join;
};

struct RawRace {
  std::vector<RawAccess> accesses;
  std::optional<RawMemory> memory;
  std::vector<RawThread> threads;
  Order order = Order::Unknown;
  std::vector<std::uint64_t> slept;
  std::uint64_t through = 0; // address of a lock, an atomic or the like
};

struct Message {
  enum class Type { Unreadable, Hello, Modules, Race, Bye } type = Type::Unreadable;
  Hello hello;
  std::vector<Module> modules;
  RawRace race;
  std::vector<std::string> problems;
};

// Type::Race whenever the line set out to be one, even if nothing else of it can be read.
Message parse_message(std::string_view line);

} // namespace footrace::findings
