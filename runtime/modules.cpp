#include "runtime/modules.h"

#include "base/platform.h"
#include "runtime/environment.h"
#include "runtime/runtime.h"

#include <link.h>
#include <sys/syscall.h>

namespace footrace {
namespace {

constexpr u32 kMaxModules = 64 << 10;
LoadedModule* g_modules;
u32 g_count;
unsigned long long g_adds, g_subs;
char g_executable[4096];

u64 g_version;
char *g_paths, *g_paths_end; // room for more paths

struct Refresh {
  bool is_first = true, has_news = false;
  unsigned long long adds = 0, subs = 0;
};

// Not from the arena: its lock could be lost in a fork, since refresh_modules is not called inside a Critical
// section.
const char* keep_path(const TextBuffer& path) {
  constexpr u64 kChunk = 64 << 10;
  if (u64(g_paths_end - g_paths) <= path.size()) {
    u64 size = round_up(max(kChunk, path.size() + 1), 4096);
    uptr memory = map_memory(size);
    if (!memory) return "";
    g_paths = reinterpret_cast<char*>(memory);
    g_paths_end = g_paths + size;
  }
  char* copy = g_paths;
  copy_bytes(copy, path.data(), path.size()); // the NUL is there already
  g_paths += path.size() + 1;
  return copy;
}

LoadedModule* known_module(const char* path, uptr base) {
  for (u32 i = 0; i < g_count; ++i)
    if (g_modules[i].base == base && same_text(g_modules[i].path, path)) return &g_modules[i];
  return nullptr;
}

void add_module(const dl_phdr_info& info, bool is_executable) {
  LoadedModule m = {"", info.dlpi_addr, ~uptr(0), 0, true};
  for (u32 i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr) & segment = info.dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    m.begin = min(m.begin, m.base + segment.p_vaddr);
    m.end = max(m.end, m.base + segment.p_vaddr + segment.p_memsz);
  }
  if (m.begin >= m.end) return;
  TextBuffer path;
  if (is_executable)
    path.add(executable_path());
  else
    add_absolute(path, info.dlpi_name);
  LoadedModule* known = known_module(path.c_str(), m.base);
  if (!known && g_count == kMaxModules) return;
  m.path = known ? known->path : keep_path(path);
  *(known ? known : &g_modules[g_count]) = m;
  if (!known) __atomic_store_n(&g_count, g_count + 1, __ATOMIC_RELEASE);
}

int visit(dl_phdr_info* info, size_t size, void* opaque) {
  Refresh& refresh = *static_cast<Refresh*>(opaque);
  if (!g_modules) g_modules = reinterpret_cast<LoadedModule*>(map_memory(kMaxModules * sizeof(LoadedModule)));
  if (!g_modules) return 1;
  bool is_executable = refresh.is_first; // it comes first, without a name
  if (is_executable) {
    bool has_counts = size >= offsetof(dl_phdr_info, dlpi_subs) + sizeof info->dlpi_subs;
    if (has_counts && g_count && info->dlpi_adds == g_adds && info->dlpi_subs == g_subs) return 1;
    if (has_counts) refresh.adds = info->dlpi_adds, refresh.subs = info->dlpi_subs;
    for (u32 i = 0; i < g_count; ++i) g_modules[i].loaded = false;
    refresh.is_first = false;
    refresh.has_news = true;
    ++g_version;
  }
  bool has_file = false; // the kernel's vdso has none
  for (const char* c = info->dlpi_name; c && *c; ++c) has_file |= *c == '/';
  if (is_executable || has_file) add_module(*info, is_executable);
  return 0;
}

struct DataSearch {
  static constexpr u32 kMost = 8; // writable segments; linkers make one or two
  uptr address;
  u32 count = 0;
  struct {
    uptr begin, size;
  } segments[kMost];
};

int find_data(dl_phdr_info* info, size_t, void* opaque) {
  DataSearch& search = *static_cast<DataSearch*>(opaque);
  bool found = false;
  search.count = 0;
  for (u32 i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) & s = info->dlpi_phdr[i];
    if (s.p_type != PT_LOAD) continue;
    uptr begin = info->dlpi_addr + s.p_vaddr;
    found |= search.address - begin < s.p_memsz;
    if ((s.p_flags & PF_W) && search.count < DataSearch::kMost)
      search.segments[search.count++] = {begin, s.p_memsz};
  }
  return found;
}

} // namespace

void forget_module_data(uptr address_inside) {
  DataSearch search;
  search.address = address_inside;
  if (!dl_iterate_phdr(find_data, &search)) return;
  for (u32 i = 0; i < search.count; ++i) memory_fresh(search.segments[i].begin, search.segments[i].size);
}

u64 refresh_modules() {
  Refresh refresh;
  dl_iterate_phdr(visit, &refresh);
  if (refresh.has_news) g_adds = refresh.adds, g_subs = refresh.subs;
  return g_version;
}

u32 module_count() { return __atomic_load_n(&g_count, __ATOMIC_ACQUIRE); }
const LoadedModule& module_at(u32 index) { return g_modules[index]; }

const LoadedModule* find_module(uptr address) {
  for (u32 i = 0; i < g_count; ++i)
    if (g_modules[i].loaded && address - g_modules[i].begin < g_modules[i].end - g_modules[i].begin)
      return &g_modules[i];
  return nullptr;
}

bool has_new_owner(const LoadedModule& unloaded) {
  for (u32 i = 0; i < g_count; ++i)
    if (g_modules[i].loaded && g_modules[i].begin < unloaded.end && unloaded.begin < g_modules[i].end)
      return true;
  return false;
}

const char* executable_path() {
  if (!g_executable[0]) {
    i64 n = sys(SYS_readlink, u64("/proc/self/exe"), u64(g_executable), sizeof g_executable - 1);
    g_executable[n > 0 ? n : 0] = 0;
  }
  return g_executable;
}

} // namespace footrace
