// Writes a trace as a file (events/trace_format.h). Each thread has a buffer; a full one becomes a block, before which all tables are written that its events
// refer to. After an error nothing more is written, and the file ends with its last whole block: readable, as far as it goes.
// Concurrency: none; one thread writes.
#pragma once

#include "events/source.h"
#include "events/trace_codec.h"

#include <map>
#include <memory>

struct ZSTD_CCtx_s;

namespace footrace {

struct TraceModule {
  std::string path;
  u64 base = 0, begin = 0, end = 0; // an address of the file is `base` lower than in the process
  friend bool operator==(const TraceModule&, const TraceModule&) = default;
};

class TraceWriter {
public:
  struct Options {
    // Else plain accesses come back between the stamped events of their thread, where what happens before them is the same, and not just where they were.
    bool every_event_has_stamp = false;
    u32 block_bytes = 64 << 10; // a thread's events before compression
    int level = 3;              // of zstd
  };
  // Null, and why: the file cannot be made.
  static std::unique_ptr<TraceWriter> create(const std::string& path, const Options& options,
                                             std::string& why);
  ~TraceWriter();
  TraceWriter(const TraceWriter&) = delete;
  TraceWriter& operator=(const TraceWriter&) = delete;

  void program(std::string_view text);
  void module(const TraceModule& module);
  void site(u32 number, const TraceSite& site);
  void stack(u32 number, u32 caller, u32 site); // `caller`: a smaller number, or 0
  void thread(u32 number, const TraceThread& thread);

  // In the order of the trace.
  void append(const Event& event);
  // With a stamp of the caller's: of one thread they increase; of all together they are 1, 2, 3... in the end.
  void append(const Event& event, u64 stamp);

  // What has come so far is in the file from now on.
  void flush();
  // The end of the trace. `why`: if it is not the program's own.
  void finish(std::string_view why = {});

  const std::string& error() const { return error_; } // empty: none
  u64 events() const { return events_; }
  u64 bytes() const { return offset_; } // of the file

private:
  struct Buffer {
    Buffer(u32 thread, u32 bytes)
        : codec(thread), events(std::make_unique_for_overwrite<char[]>(bytes + EventCodec::kMostBytes)),
          end(events.get()) {
      block.thread = thread;
    }
    u64 bytes() const { return u64(end - events.get()) + stamps.size(); }
    EventCodec codec;
    BlockHeader block;
    std::unique_ptr<char[]> events;
    char* end; // of what is in it
    std::string stamps;
  };
  struct Table {
    BlockHeader block;
    std::string bytes;
  };
  TraceWriter(std::string path, int file, const Options& options);
  Table& row(BlockType type);
  void write_events(std::unique_ptr<Buffer>& buffer);
  void write_tables();
  void write_block(BlockHeader block, std::string_view payload);
  void write(std::string_view bytes);

  std::string path_, error_;
  int file_;
  Options options_;
  u64 offset_ = 0, events_ = 0, last_stamp_ = 0;
  std::map<u32, std::unique_ptr<Buffer>> buffers_; // of threads; null: empty
  std::unique_ptr<Buffer>* latest_ =
      nullptr; // of latest_thread_: mostly several events of a thread come together
  u32 latest_thread_ = 0;
  std::map<BlockType, Table> tables_;
  ZSTD_CCtx_s* zstd_;
  std::string compressed_;
};

} // namespace footrace
