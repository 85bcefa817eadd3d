// Reads a trace that trace_writer.h has written, as one stream: the threads' events are merged in the order of their stamps.
//
// Stamps are 1, 2, 3... over all threads, so the next event that has one is known. Events without a stamp come as late as they can: before the next stamped
// event of their thread, or before its join. So an access through a pointer that was handed over without synchronisation comes behind the
// allocation that it was made behind, as far as anybody can know. Where a stamp is missing - the program was killed, and some thread's last events are
// lost - the trace ends: before that point it is as it happened.
// Memory: of each thread one block, for each block of the file 24 bytes, and the tables of names.
#pragma once

#include "events/source.h"
#include "events/trace_codec.h"
#include "events/trace_writer.h"

#include <map>
#include <memory>
#include <queue>
#include <tuple>
#include <unordered_map>

struct ZSTD_DCtx_s;

namespace footrace {

// The bytes of a file, read where they are asked for.
class TraceBytes {
public:
  virtual ~TraceBytes() = default;
  virtual u64 size() const = 0;
  // False: they cannot be read.
  virtual bool read(u64 offset, char* to, u64 count) = 0;
};
// Null, and why: it cannot be opened, or is no file.
std::unique_ptr<TraceBytes> open_trace_file(const std::string& path, std::string& why);
std::unique_ptr<TraceBytes> trace_in_memory(std::string bytes);

class TraceReader : public EventSource {
public:
  // `name` is for messages. Reads all headers and tables; if that fails, error() says why and next() is false.
  TraceReader(std::unique_ptr<TraceBytes> bytes, std::string name);
  ~TraceReader() override;

  bool next(Event& event) override;
  const TraceSite* site(u32 number) const override;
  const std::vector<u32>* stack(u32 number) const override;
  const TraceThread* thread(u32 number) const override;
  std::string program() const override { return program_; }

  const std::vector<TraceModule>& modules() const { return modules_; }
  // The stamp of the event that next() gave last; 0: it has none.
  u64 stamp() const { return stamp_; }
  bool every_event_has_stamp() const { return header_.flags & kEveryEventHasStamp; }
  // Why the trace is not the whole run; empty if it is. Complete only behind the last event.
  std::string unfinished() const override { return unfinished_; }
  // Of the file, as its headers have them.
  struct Counts {
    u64 blocks = 0, events = 0, threads = 0, stored = 0, raw = 0;
  };
  const Counts& counts() const { return counts_; }

private:
  struct Place {
    u64 offset; // of the block's header
    u64 first;  // stamp; 0: none
  };
  static constexpr u64 kNoStamp = ~u64(0);
  struct ThreadInput {
    std::vector<Place> blocks;
    size_t next_block = 0;
    u64 last = 0; // stamp of all blocks
    // Of the block that is open.
    u32 left = 0; // events
    std::string raw;
    ByteCursor events{{}}, stamps{{}};
    u64 stamp = 0;           // the next one
    bool has_stamps = false; // there are more
    std::unique_ptr<EventCodec> codec;
    bool is_over() const { return !left && next_block == blocks.size(); }
  };
  struct Waiting {
    u64 stamp; // of the thread's next event that has one
    u32 thread;
    // Who goes on first is on top.
    friend bool operator<(const Waiting& a, const Waiting& b) {
      return std::tuple(a.stamp, a.thread) > std::tuple(b.stamp, b.thread);
    }
  };

  bool read_headers();
  bool read_header(u64 offset, BlockHeader& block);
  bool add_events(u64 offset, const BlockHeader& block);
  bool read_table(u64 offset, const BlockHeader& block);
  bool read_row(BlockType type, ByteCursor& from);
  bool read_payload(u64 offset, const BlockHeader& block, std::string& raw);
  bool ends_early(u64 offset, std::string why);
  bool open_block(ThreadInput& t);
  bool take(ThreadInput& t, Event& event);
  u64 next_stamp(const ThreadInput& t) const;
  bool choose_thread();
  bool fail_at(u64 offset, std::string reason);

  std::unique_ptr<TraceBytes> bytes_;
  std::string name_, program_, unfinished_;
  TraceHeader header_;
  Counts counts_;
  ZSTD_DCtx_s* zstd_;
  std::string stored_;

  std::map<u32, ThreadInput> threads_;
  std::priority_queue<Waiting> waiting_;
  ThreadInput* running_ = nullptr;
  u32 running_number_ = 0;
  // The running thread has come to a join, and waits for what the joined thread did.
  std::optional<Event> join_;
  ThreadInput* joined_ = nullptr;
  u64 expected_ = 1, stamp_ = 0, last_stamp_ = 0;
  bool has_end_ = false;

  struct StackNode {
    u32 caller, site;
  };
  u64 table_bytes_ = 0;
  std::unordered_map<u32, TraceSite> sites_;
  std::unordered_map<u32, StackNode> stacks_;
  std::unordered_map<u32, TraceThread> thread_names_;
  std::vector<TraceModule> modules_;
  mutable std::vector<u32> stack_; // what stack() gave last
};

} // namespace footrace
