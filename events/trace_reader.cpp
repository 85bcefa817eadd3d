#include "events/trace_reader.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zstd.h>

namespace footrace {
namespace {

class FileBytes : public TraceBytes {
public:
  FileBytes(int file, u64 size) : file_(file), size_(size) {}
  ~FileBytes() override { close(file_); }
  u64 size() const override { return size_; }
  bool read(u64 offset, char* to, u64 count) override {
    while (count) {
      const ssize_t n = pread(file_, to, count, off_t(offset));
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      to += n, offset += u64(n), count -= u64(n);
    }
    return true;
  }

private:
  int file_;
  u64 size_;
};

class MemoryBytes : public TraceBytes {
public:
  explicit MemoryBytes(std::string bytes) : bytes_(std::move(bytes)) {}
  u64 size() const override { return bytes_.size(); }
  bool read(u64 offset, char* to, u64 count) override {
    if (offset > bytes_.size() || count > bytes_.size() - offset) return false;
    std::memcpy(to, bytes_.data() + offset, count);
    return true;
  }

private:
  std::string bytes_;
};

// Names compress well, but not without end: what a small damaged file may make a reader remember.
constexpr u64 most_table_bytes(u64 file_bytes) { return (16 << 20) + 256 * file_bytes; }
constexpr u32 kMostStackDepth = 1 << 16;

} // namespace

std::unique_ptr<TraceBytes> open_trace_file(const std::string& path, std::string& why) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status = {};
  if (file < 0 || fstat(file, &status)) {
    why = "cannot read '" + path + "': " + strerror(errno);
    if (file >= 0) close(file);
    return nullptr;
  }
  if (!S_ISREG(status.st_mode)) {
    why = "'" + path + "' is not a file: a trace is read in several places at once";
    close(file);
    return nullptr;
  }
  return std::make_unique<FileBytes>(file, u64(status.st_size));
}

std::unique_ptr<TraceBytes> trace_in_memory(std::string bytes) {
  return std::make_unique<MemoryBytes>(std::move(bytes));
}

TraceReader::TraceReader(std::unique_ptr<TraceBytes> bytes, std::string name)
    : bytes_(std::move(bytes)), name_(std::move(name)), zstd_(ZSTD_createDCtx()) {
  if (!read_headers()) return;
  for (auto& [number, t] : threads_) waiting_.push({next_stamp(t), number});
}

TraceReader::~TraceReader() { ZSTD_freeDCtx(zstd_); }

bool TraceReader::fail_at(u64 offset, std::string reason) {
  return fail(name_ + ", byte " + std::to_string(offset), std::move(reason));
}

// -- Headers and tables

// Whoever writes a trace may be stopped at any byte: what is not a whole block at the end of a file without an End is no error.
bool TraceReader::ends_early(u64 offset, std::string why) {
  unfinished_ = "the file ends early, at byte " + std::to_string(offset) + ": " + std::move(why);
  return true;
}

bool TraceReader::read_headers() {
  std::string first(kTraceHeaderBytes, 0);
  if (bytes_->size() < kTraceHeaderBytes)
    return fail_at(0, "the file has " + std::to_string(bytes_->size()) + " bytes: too few for a trace");
  if (!bytes_->read(0, first.data(), first.size())) return fail_at(0, "cannot be read");
  if (auto why = parse(first, header_); !why.empty()) return fail_at(0, why);
  for (u64 offset = kTraceHeaderBytes; offset < bytes_->size();) {
    if (has_end_) return fail_at(offset, "there is something behind the trace's end");
    if (bytes_->size() - offset < kBlockHeaderBytes) return ends_early(offset, "a block's header is cut off");
    BlockHeader block;
    if (!read_header(offset, block)) return false;
    if (block.stored > bytes_->size() - offset - kBlockHeaderBytes)
      return ends_early(offset, "a block is cut off");
    ++counts_.blocks, counts_.stored += block.stored, counts_.raw += block.raw;
    if (!(block.type == BlockType::Events ? add_events(offset, block) : read_table(offset, block)))
      return false;
    offset += kBlockHeaderBytes + block.stored;
  }
  if (!has_end_) return ends_early(bytes_->size(), "the recorder did not come to finish it");
  return true;
}

bool TraceReader::read_header(u64 offset, BlockHeader& block) {
  char bytes[kBlockHeaderBytes];
  if (!bytes_->read(offset, bytes, sizeof bytes)) return fail_at(offset, "cannot be read");
  auto why = parse({bytes, sizeof bytes}, block);
  return why.empty() || fail_at(offset, why);
}

bool TraceReader::add_events(u64 offset, const BlockHeader& block) {
  ThreadInput& t = threads_[block.thread];
  if (!block.items) return fail_at(offset, "a block without events");
  if (block.first && block.first <= t.last) return fail_at(offset, "a thread's blocks are not in order");
  t.last = max(t.last, block.last);
  last_stamp_ = max(last_stamp_, block.last);
  t.blocks.push_back({offset, block.first});
  counts_.events += block.items;
  counts_.threads = threads_.size();
  return true;
}

bool TraceReader::read_payload(u64 offset, const BlockHeader& block, std::string& raw) {
  stored_.resize(block.stored);
  raw.resize(block.raw);
  if (!bytes_->read(offset + kBlockHeaderBytes, stored_.data(), stored_.size()))
    return fail_at(offset, "cannot be read");
  const size_t size = ZSTD_decompressDCtx(zstd_, raw.data(), raw.size(), stored_.data(), stored_.size());
  if (ZSTD_isError(size))
    return fail_at(offset, std::string("the block is damaged: ") + ZSTD_getErrorName(size));
  return size == raw.size() || fail_at(offset, "the block is damaged: it has another size than it says");
}

bool TraceReader::read_table(u64 offset, const BlockHeader& block) {
  std::string raw;
  if (!read_payload(offset, block, raw)) return false;
  table_bytes_ += block.raw;
  if (table_bytes_ > most_table_bytes(bytes_->size()))
    return fail_at(offset, "the file has more names than a trace of its size can have");
  ByteCursor from(raw);
  for (u32 i = 0; i < block.items; ++i)
    if (!read_row(block.type, from) || !from.ok)
      return fail_at(offset, "the block is damaged: its rows make no sense");
  return from.is_done() || fail_at(offset, "the block is damaged: it has more rows than it says");
}

bool TraceReader::read_row(BlockType type, ByteCursor& from) {
  switch (type) {
  case BlockType::Program:
    program_ = from.text();
    return true;
  case BlockType::Modules: {
    TraceModule m;
    m.path = from.text();
    for (u64* address : {&m.base, &m.begin, &m.end}) *address = from.number();
    modules_.push_back(std::move(m));
    return true;
  }
  case BlockType::Threads: {
    const u32 number = from.number32();
    TraceThread& t = thread_names_[number];
    t.os_id = from.number();
    t.name = from.text();
    return true;
  }
  case BlockType::Sites: {
    TraceSite& site = sites_[from.number32()];
    site.frames.clear();
    for (u64 frames = from.number(); frames && from.ok; --frames) {
      TraceFrame& f = site.frames.emplace_back();
      f.function = from.text(), f.file = from.text();
      f.line = from.number32(), f.column = from.number32();
      f.module = from.text(), f.offset = from.number();
    }
    return true;
  }
  case BlockType::Stacks: {
    const u32 number = from.number32(), caller = from.number32(), site = from.number32();
    stacks_[number] = {caller, site};
    return number > caller; // so none calls itself
  }
  case BlockType::End:
    has_end_ = true;
    if (auto why = from.text(); !why.empty()) unfinished_ = why;
    return true;
  case BlockType::Events:
    break;
  }
  return false;
}

// -- Events

bool TraceReader::open_block(ThreadInput& t) {
  const Place& place = t.blocks[t.next_block++];
  BlockHeader block;
  if (!read_header(place.offset, block) || !read_payload(place.offset, block, t.raw)) return false;
  t.codec = std::make_unique<EventCodec>(block.thread);
  t.events = ByteCursor(t.raw);
  t.stamps = ByteCursor(t.events.text());
  if (!t.events.ok) return fail_at(place.offset, "the block is damaged: its stamps make no sense");
  t.left = block.items;
  t.stamp = block.first;
  t.has_stamps = block.first != 0;
  return true;
}

// The thread's next event. False: the file is damaged.
bool TraceReader::take(ThreadInput& t, Event& event) {
  if (!t.left && !open_block(t)) return false;
  const u64 offset = t.blocks[t.next_block - 1].offset;
  if (!t.codec->take(t.events, event))
    return fail_at(offset, "the block is damaged: its events make no sense");
  stamp_ = 0;
  if (every_event_has_stamp() || has_stamp(event.kind)) {
    if (!t.has_stamps) return fail_at(offset, "the block is damaged: an event has no stamp");
    stamp_ = t.stamp;
    t.has_stamps = !t.stamps.is_done();
    if (t.has_stamps) t.stamp += 1 + t.stamps.number();
    if (!t.stamps.ok || t.stamp < stamp_)
      return fail_at(offset, "the block is damaged: its stamps make no sense");
  }
  if (--t.left) return true;
  if (!t.events.is_done() || t.has_stamps)
    return fail_at(offset, "the block is damaged: it has more events than it says");
  t.raw = std::string();
  t.codec.reset();
  return true;
}

u64 TraceReader::next_stamp(const ThreadInput& t) const {
  if (t.left && t.has_stamps) return t.stamp;
  for (size_t i = t.next_block; i < t.blocks.size(); ++i)
    if (t.blocks[i].first) return t.blocks[i].first;
  return kNoStamp;
}

// Who goes on: whose stamp comes next, and at the very end whoever has something left. False: nobody.
bool TraceReader::choose_thread() {
  running_ = nullptr;
  if (waiting_.empty()) return false;
  const Waiting first = waiting_.top();
  const bool is_end = first.stamp == kNoStamp && expected_ > last_stamp_;
  if (first.stamp != expected_ && !is_end) {
    if (first.stamp < expected_)
      return fail_at(threads_[first.thread].blocks[0].offset,
                     "two events have the stamp " + std::to_string(first.stamp));
    if (!unfinished_.empty()) unfinished_ += "; ";
    unfinished_ += "the event with stamp " + std::to_string(expected_) + " of " +
                   std::to_string(last_stamp_) + " is missing, so what came behind it is left out";
    waiting_ = {};
    return false;
  }
  waiting_.pop();
  running_ = &threads_[first.thread];
  running_number_ = first.thread;
  return true;
}

bool TraceReader::next(Event& event) {
  for (;;) {
    if (error()) return false;
    if (join_) {
      if (!joined_->is_over()) return take(*joined_, event);
      event = *join_;
      stamp_ = expected_ - 1;
      join_.reset();
      return true;
    }
    if (!running_ && !choose_thread()) return false;
    ThreadInput& t = *running_;
    if (t.is_over()) {
      running_ = nullptr;
      continue;
    }
    if (!take(t, event)) return false;
    if (!stamp_) return true;
    if (stamp_ != expected_)
      return fail_at(t.blocks[t.next_block - 1].offset, "the block is damaged: its stamps make no sense");
    ++expected_;
    waiting_.push({next_stamp(t), running_number_});
    running_ = nullptr;
    auto joined = event.kind == EventKind::Join ? threads_.find(u32(event.target)) : threads_.end();
    if (joined == threads_.end() || next_stamp(joined->second) != kNoStamp) return true;
    join_ = event;
    joined_ = &joined->second;
  }
}

// -- Names

const TraceSite* TraceReader::site(u32 number) const {
  auto found = sites_.find(number);
  return found == sites_.end() ? nullptr : &found->second;
}

const TraceThread* TraceReader::thread(u32 number) const {
  auto found = thread_names_.find(number);
  return found == thread_names_.end() ? nullptr : &found->second;
}

const std::vector<u32>* TraceReader::stack(u32 number) const {
  stack_.clear();
  for (auto found = stacks_.find(number); found != stacks_.end() && stack_.size() < kMostStackDepth;
       found = stacks_.find(found->second.caller))
    stack_.push_back(found->second.site);
  return stack_.empty() ? nullptr : &stack_;
}

} // namespace footrace
