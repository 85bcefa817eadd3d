// The reader of traces on any bytes (libFuzzer): it ends, within its memory, with events or one message. Mutations know the format well enough to get behind its
// checksums: a block is taken out of its compression, changed, and put back with a header that is right.
#include "events/trace_reader.h"

#include <cstdlib>
#include <cstring>
#include <zstd.h>

using namespace footrace;

extern "C" size_t LLVMFuzzerMutate(uint8_t* data, size_t size, size_t max_size);

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  TraceReader reader(trace_in_memory({reinterpret_cast<const char*>(data), size}), "fuzz");
  u64 events = 0, promised = reader.counts().events;
  for (Event e; reader.next(e); ++events) {
    (void)reader.site(e.site);
    (void)reader.stack(e.stack);
    (void)reader.thread(e.thread);
  }
  if (events > promised) abort(); // more than the headers said
  if (reader.error() && (reader.error()->where.empty() || reader.error()->reason.empty())) abort();
  return 0;
}

namespace {

struct Block {
  BlockHeader header;
  std::string payload; // expanded
};

std::string expand(std::string_view stored, u32 raw) {
  std::string payload(raw, 0);
  const size_t n = ZSTD_decompress(payload.data(), payload.size(), stored.data(), stored.size());
  payload.resize(ZSTD_isError(n) ? 0 : n);
  return payload;
}

// As far as they are whole.
std::vector<Block> blocks_of(std::string_view file) {
  std::vector<Block> blocks;
  for (size_t at = kTraceHeaderBytes; at + kBlockHeaderBytes <= file.size();) {
    Block b;
    if (!parse(file.substr(at, kBlockHeaderBytes), b.header).empty()) break;
    at += kBlockHeaderBytes;
    if (b.header.stored > file.size() - at) break;
    b.payload = expand(file.substr(at, b.header.stored), b.header.raw);
    at += b.header.stored;
    blocks.push_back(std::move(b));
  }
  return blocks;
}

std::string put_together(const std::vector<Block>& blocks, u32 flags) {
  TraceHeader header;
  header.flags = flags;
  std::string file = to_bytes(header);
  for (const Block& b : blocks) {
    std::string stored(ZSTD_compressBound(b.payload.size()), 0);
    stored.resize(ZSTD_compress(stored.data(), stored.size(), b.payload.data(), b.payload.size(), 1));
    BlockHeader h = b.header;
    h.stored = u32(stored.size());
    h.raw = u32(b.payload.size());
    file += to_bytes(h) + stored;
  }
  return file;
}

void mutate(Block& b, u32 seed) {
  constexpr size_t kRoom = 4096;
  switch (seed % 8) {
  case 0:
    b.header.items =
        u32(LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(&b.header.items), 4, 4)) ? b.header.items : 1;
    return;
  case 1:
    LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(&b.header.first), 8, 8);
    return;
  case 2:
    LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(&b.header.last), 8, 8);
    return;
  case 3:
    b.header.thread = seed >> 8 & 3;
    return;
  case 4:
    b.header.type = BlockType(1 + (seed >> 8) % 7);
    return;
  default: {
    const size_t size = b.payload.size();
    b.payload.resize(size + kRoom);
    b.payload.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t*>(b.payload.data()), size, size + kRoom));
  }
  }
}

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t* data, size_t size, size_t max_size, unsigned seed) {
  const std::string_view file(reinterpret_cast<const char*>(data), size);
  TraceHeader header;
  std::vector<Block> blocks;
  if (seed % 4 && size >= kTraceHeaderBytes && parse(file.substr(0, kTraceHeaderBytes), header).empty())
    blocks = blocks_of(file);
  if (blocks.empty()) return LLVMFuzzerMutate(data, size, max_size);
  const size_t at = (seed >> 2) % blocks.size();
  if ((seed >> 12) % 16 == 0)
    blocks.insert(blocks.begin() + i64(at), blocks[(seed >> 16) % blocks.size()]);
  else if ((seed >> 12) % 16 == 1)
    blocks.erase(blocks.begin() + i64(at));
  else
    mutate(blocks[at], seed >> 8);
  const std::string changed = put_together(blocks, header.flags ^ ((seed >> 20) % 16 == 0));
  if (changed.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::memcpy(data, changed.data(), changed.size());
  return changed.size();
}
