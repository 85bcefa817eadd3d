#include "events/trace_writer.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <zstd.h>

namespace footrace {
namespace {
constexpr u32 kTableBytes = 32 << 10;
constexpr u64 kMostText = kMostRawBytes / 8; // of one name: a row always fits a block
std::string_view shortened(std::string_view text) { return text.substr(0, kMostText); }
} // namespace

std::unique_ptr<TraceWriter> TraceWriter::create(const std::string& path, const Options& options,
                                                 std::string& why) {
  const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0) {
    why = "cannot write '" + path + "': " + strerror(errno);
    return nullptr;
  }
  std::unique_ptr<TraceWriter> writer(new TraceWriter(path, file, options));
  TraceHeader header;
  header.flags = options.every_event_has_stamp ? kEveryEventHasStamp : 0;
  writer->write(to_bytes(header));
  why = writer->error();
  return why.empty() ? std::move(writer) : nullptr;
}

TraceWriter::TraceWriter(std::string path, int file, const Options& options)
    : path_(std::move(path)), file_(file), options_(options), zstd_(ZSTD_createCCtx()) {
  options_.block_bytes = min(options_.block_bytes, kMostRawBytes / 2);
  ZSTD_CCtx_setParameter(zstd_, ZSTD_c_compressionLevel, options_.level);
  ZSTD_CCtx_setParameter(zstd_, ZSTD_c_checksumFlag, 1);
  for (BlockType type :
       {BlockType::Program, BlockType::Modules, BlockType::Threads, BlockType::Sites, BlockType::Stacks})
    tables_[type].block.type = type;
}

TraceWriter::~TraceWriter() {
  ZSTD_freeCCtx(zstd_);
  close(file_);
}

// Whoever fills the row has room for it.
TraceWriter::Table& TraceWriter::row(BlockType type) {
  Table& table = tables_[type];
  if (table.bytes.size() >= kTableBytes) write_tables();
  ++table.block.items;
  return table;
}

void TraceWriter::program(std::string_view text) { put_text(row(BlockType::Program).bytes, shortened(text)); }

void TraceWriter::module(const TraceModule& module) {
  std::string& bytes = row(BlockType::Modules).bytes;
  put_text(bytes, shortened(module.path));
  for (u64 address : {module.base, module.begin, module.end}) put_number(bytes, address);
}

void TraceWriter::thread(u32 number, const TraceThread& thread) {
  std::string& bytes = row(BlockType::Threads).bytes;
  put_number(bytes, number);
  put_number(bytes, thread.os_id);
  put_text(bytes, shortened(thread.name));
}

void TraceWriter::site(u32 number, const TraceSite& site) {
  std::string bytes;
  u32 frames = 0;
  for (const TraceFrame& f : site.frames) {
    std::string frame;
    put_text(frame, shortened(f.function));
    put_text(frame, shortened(f.file));
    put_number(frame, f.line);
    put_number(frame, f.column);
    put_text(frame, shortened(f.module));
    put_number(frame, f.offset);
    if (frames && bytes.size() + frame.size() > kMostRawBytes / 2) break;
    bytes += frame;
    ++frames;
  }
  Table& table = row(BlockType::Sites);
  put_number(table.bytes, number);
  put_number(table.bytes, frames);
  table.bytes += bytes;
}

void TraceWriter::stack(u32 number, u32 caller, u32 site) {
  std::string& bytes = row(BlockType::Stacks).bytes;
  for (u32 x : {number, caller, site}) put_number(bytes, x);
}

void TraceWriter::append(const Event& e) {
  append(e, options_.every_event_has_stamp || has_stamp(e.kind) ? last_stamp_ + 1 : 0);
}

void TraceWriter::append(const Event& e, u64 stamp) {
  if (!error_.empty()) return;
  if (!latest_ || e.thread != latest_thread_) {
    latest_ = &buffers_[e.thread];
    latest_thread_ = e.thread;
  }
  std::unique_ptr<Buffer>& buffer = *latest_;
  if (!buffer) buffer = std::make_unique<Buffer>(e.thread, options_.block_bytes);
  Buffer& b = *buffer;
  b.end = b.codec.put(b.end, e);
  if (options_.every_event_has_stamp || has_stamp(e.kind)) {
    if (!b.block.first)
      b.block.first = b.block.last = stamp;
    else
      put_number(b.stamps, stamp - b.block.last - 1), b.block.last = stamp;
    last_stamp_ = max(last_stamp_, stamp);
  }
  ++b.block.items;
  ++events_;
  if (b.bytes() >= options_.block_bytes || e.kind == EventKind::Exit) write_events(buffer);
}

void TraceWriter::write_events(std::unique_ptr<Buffer>& buffer) {
  if (!buffer) return;
  write_tables();
  std::string payload;
  put_text(payload, buffer->stamps);
  payload.append(buffer->events.get(), buffer->end);
  write_block(buffer->block, payload);
  buffer.reset();
}

void TraceWriter::write_tables() {
  for (auto& [type, table] : tables_) {
    if (!table.block.items) continue;
    write_block(table.block, table.bytes);
    table.block.items = 0;
    table.bytes.clear();
  }
}

void TraceWriter::write_block(BlockHeader block, std::string_view payload) {
  compressed_.resize(ZSTD_compressBound(payload.size()));
  const size_t stored =
      ZSTD_compress2(zstd_, compressed_.data(), compressed_.size(), payload.data(), payload.size());
  if (ZSTD_isError(stored)) {
    error_ = "cannot compress for '" + path_ + "': " + ZSTD_getErrorName(stored);
    return;
  }
  block.stored = u32(stored);
  block.raw = u32(payload.size());
  compressed_.resize(stored);
  write(to_bytes(block) + compressed_);
}

// All of it, or nothing and an error.
void TraceWriter::write(std::string_view bytes) {
  if (!error_.empty()) return;
  for (size_t at = 0; at < bytes.size();) {
    const ssize_t n = ::write(file_, bytes.data() + at, bytes.size() - at);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) {
      error_ = "cannot write '" + path_ + "': " + strerror(n < 0 ? errno : ENOSPC);
      if (offset_ && ftruncate(file_, off_t(offset_)))
        error_ += "; its last block is not whole"; // a reader finds that out by itself
      return;
    }
    at += size_t(n);
  }
  offset_ += bytes.size();
}

void TraceWriter::flush() {
  for (auto& [number, buffer] : buffers_) write_events(buffer);
  write_tables();
}

void TraceWriter::finish(std::string_view why) {
  flush();
  BlockHeader end;
  end.type = BlockType::End;
  end.items = 1;
  end.last = last_stamp_;
  std::string text;
  put_text(text, shortened(why));
  write_block(end, text);
}

} // namespace footrace
