// Each module that registers gets a range of consecutive ids, so an id is a subtraction away from a record's
// address. Invariant: ids are never given to something else. A module that is unloaded keeps its range of ids
// and, until other records take its place, also its range of addresses: at exit threads may still run in it, and logs name it. Then its sites are
// renamed: kRenamedSite and the id.
// Concurrency: readers use immutable sorted arrays that are replaced as a whole (replaced ones stay: modules
// come rarely).
#include "runtime/site_table.h"

#include "runtime/arena.h"
#include "runtime/environment.h"
#include "runtime/intern_table.h"
#include "runtime/runtime.h"

#include <link.h>

namespace footrace {

CodeRange g_main_code;

namespace {

struct Range {
  uptr begin, end;
  SiteId first; // id of the record at `begin`; unused for code
};
struct RangeMap {
  u32 count;
  Range ranges[];
};

constexpr u32 kMaxCode = 4; // executable segments of a module; linkers make one

struct ModuleSites {
  uptr begin, end;           // addresses of the records; 0 when other memory has taken their place
  const SiteRecord* records; // what to print: the module's own while it is loaded, then the copy
  const SiteRecord* copy;
  SiteId first;
  u32 count, references;
  Range code[kMaxCode];
  u32 code_count;
};

constexpr u32 kMaxModules = 64 << 10;
SpinLock g_lock;
ModuleSites* g_modules;
u32 g_module_count;
SiteId g_next_id = 1;

RangeMap *g_records, *g_code;

constexpr Site kRenamedSite = kPcSite | 1ull << 46;
constexpr SiteId kMostIds = kPcSiteId - 1;
constexpr u32 kMostPcs = 1 << 22;

bool has_range(const Range& r, uptr address) { return address - r.begin < r.end - r.begin; }

const Range* find_range(RangeMap* const& map_slot, uptr address) {
  const RangeMap* map = __atomic_load_n(&map_slot, __ATOMIC_ACQUIRE);
  if (!map) return nullptr;
  u32 low = 0, high = map->count;
  while (low < high) {
    u32 middle = (low + high) / 2;
    if (map->ranges[middle].end <= address)
      low = middle + 1;
    else
      high = middle;
  }
  return low < map->count && has_range(map->ranges[low], address) ? &map->ranges[low] : nullptr;
}

RangeMap* new_map(u32 capacity) {
  return static_cast<RangeMap*>(arena_allocate(sizeof(RangeMap) + capacity * sizeof(Range)));
}

void insert_sorted(RangeMap* map, const Range& range) {
  u32 i = map->count++;
  for (; i && map->ranges[i - 1].begin > range.begin; --i) map->ranges[i] = map->ranges[i - 1];
  map->ranges[i] = range;
}

void publish_ranges() {
  RangeMap *records = new_map(g_module_count), *code = new_map(g_module_count * kMaxCode);
  for (u32 i = 0; i < g_module_count; ++i) {
    const ModuleSites& m = g_modules[i];
    if (m.begin && m.count) insert_sorted(records, {m.begin, m.end, m.first});
    for (u32 c = 0; c < m.code_count; ++c) insert_sorted(code, m.code[c]);
  }
  __atomic_store_n(&g_records, records, __ATOMIC_RELEASE);
  __atomic_store_n(&g_code, code, __ATOMIC_RELEASE);
}

struct CodeSearch {
  uptr address;
  ModuleSites* module;
  bool is_executable;
};

// The executable segments of the module that holds the address.
int find_code(dl_phdr_info* info, size_t, void* opaque) {
  CodeSearch& search = *static_cast<CodeSearch*>(opaque);
  Range code[kMaxCode];
  u32 count = 0;
  bool found = false;
  search.is_executable = false;
  for (u32 i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) & s = info->dlpi_phdr[i];
    if (s.p_type != PT_LOAD) continue;
    Range range = {info->dlpi_addr + s.p_vaddr, info->dlpi_addr + s.p_vaddr + s.p_memsz, 0};
    found |= has_range(range, search.address);
    search.is_executable |= has_range(range, reinterpret_cast<uptr>(&register_module));
    if ((s.p_flags & PF_X) && count < kMaxCode) code[count++] = range;
  }
  if (!found) return 0;
  for (u32 i = 0; i < count; ++i) search.module->code[i] = code[i];
  search.module->code_count = count;
  return 1;
}

const char* follow(const i32& offset) {
  return offset ? reinterpret_cast<const char*>(&offset) + offset : nullptr;
}
void point(i32& offset, const void* target) {
  offset = i32(reinterpret_cast<const char*>(target) - reinterpret_cast<const char*>(&offset));
}

// Copies strings behind the records; the sites of a function lie together, so remembering the last one is
// enough.
class StringCopier {
public:
  explicit StringCopier(char* out) : out_(out) {} // null: only count
  const char* copy(const char* from) {
    if (!from || from == from_) return from ? to_ : nullptr;
    u64 size = length_of(from) + 1;
    from_ = from;
    to_ = out_ ? out_ + bytes_ : from;
    if (out_) copy_bytes(out_ + bytes_, from, size);
    bytes_ += size;
    return to_;
  }
  u64 bytes() const { return bytes_; }

private:
  char* out_;
  const char *from_ = nullptr, *to_ = nullptr;
  u64 bytes_ = 0;
};

u64 string_bytes(const ModuleSites& m, const i32 SiteRecord::* text) {
  StringCopier counter(nullptr);
  for (u32 i = 0; i < m.count; ++i)
    if (m.records[i].role == SiteRole::Scope) counter.copy(follow(m.records[i].*text));
  return counter.bytes();
}

// The records and their strings in one piece of memory, so that the offsets reach. Distances between records stay what they are.
const SiteRecord* copy_records(const ModuleSites& m) {
  u64 size = m.count * sizeof(SiteRecord), files = string_bytes(m, &SiteRecord::file);
  auto* copy =
      static_cast<SiteRecord*>(arena_allocate(size + files + string_bytes(m, &SiteRecord::function)));
  copy_bytes(copy, m.records, size);
  StringCopier file(reinterpret_cast<char*>(copy) + size),
      function(reinterpret_cast<char*>(copy) + size + files);
  for (u32 i = 0; i < m.count; ++i) {
    const SiteRecord& from = m.records[i];
    if (from.role != SiteRole::Scope) continue;
    if (const char* text = file.copy(follow(from.file))) point(copy[i].file, text);
    if (const char* text = function.copy(follow(from.function))) point(copy[i].function, text);
  }
  return copy;
}

bool same_string(const char* a, const char* b) { return a == b || (a && b && same_text(a, b)); }

bool same_record(const SiteRecord& x, const SiteRecord& y) {
  if (x.column != y.column || x.kind != y.kind || x.role != y.role || x.scope != y.scope) return false;
  if (x.role != SiteRole::Scope) return x.line == y.line && x.size == y.size;
  return same_string(follow(x.file), follow(y.file)) && same_string(follow(x.function), follow(y.function));
}

bool same_records(const SiteRecord* a, const SiteRecord* b, u32 count) {
  for (u32 i = 0; i < count; ++i)
    if (!same_record(a[i], b[i])) return false;
  return true;
}

ModuleSites* find_registered(uptr begin) {
  for (u32 i = 0; i < g_module_count; ++i)
    if (g_modules[i].references && g_modules[i].begin == begin) return &g_modules[i];
  return nullptr;
}

// The entry of the same module from before it was unloaded, or a new one.
ModuleSites* entry_for(const SiteRecord* records, u32 count) {
  for (u32 i = 0; i < g_module_count; ++i) {
    ModuleSites& m = g_modules[i];
    if (!m.references && m.count == count && same_records(m.copy, records, count)) return &m;
  }
  if (!g_modules) g_modules = reinterpret_cast<ModuleSites*>(map_memory(kMaxModules * sizeof(ModuleSites)));
  if (!g_modules || g_module_count == kMaxModules || count > kMostIds - g_next_id) {
    say("warning: too many checked places; accesses of a module that was just loaded are reported without "
        "their lines");
    return nullptr;
  }
  ModuleSites& m = g_modules[g_module_count++];
  m.first = g_next_id;
  m.count = count;
  g_next_id += count;
  return &m;
}

struct PcNode : PcSite {
  bool same(const PcNode& other) const {
    return pc == other.pc && function == other.function && kind == other.kind;
  }
  u64 hash() const { return mix_hash(pc ^ mix_hash(reinterpret_cast<uptr>(function) + u64(kind))); }
};
InternTable<PcNode, kMostPcs> g_pcs;

uptr g_main_records; // of the executable

SiteId id_in(const Range& range, Site site) {
  return range.first + SiteId((site - range.begin) / sizeof(SiteRecord));
}

// Other records lie, or will lie, where the module's were.
void leave_place(ModuleSites& m) {
  const Range range = {m.begin, m.end, m.first};
  m.begin = m.end = 0;
  for_each_logged_site([&](Site& site) {
    if (has_range(range, site)) site = kRenamedSite | id_in(range, site);
  });
}

} // namespace

bool register_module(const SiteRecord* begin, const SiteRecord* end, uptr address) {
  ModuleSites seen = {};
  CodeSearch search = {address, &seen, false};
  dl_iterate_phdr(find_code, &search);

  SpinGuard guard(g_lock);
  if (ModuleSites* again = find_registered(uptr(begin))) {
    ++again->references;
    return false;
  }
  ModuleSites* m = entry_for(begin, u32(end - begin));
  if (!m) return true;
  for (u32 i = 0; i < g_module_count; ++i) {
    ModuleSites& old = g_modules[i];
    const bool moves = &old == m ? old.begin != uptr(begin) : old.begin < uptr(end) && uptr(begin) < old.end;
    if (!old.references && old.end && moves) leave_place(old);
  }
  m->begin = uptr(begin);
  m->end = uptr(end);
  m->records = begin;
  m->references = 1;
  m->code_count = seen.code_count;
  for (u32 i = 0; i < seen.code_count; ++i) m->code[i] = seen.code[i];
  publish_ranges();
  if (!search.is_executable) return true;
  if (seen.code_count) g_main_code = {seen.code[0].begin, seen.code[0].end - seen.code[0].begin};
  g_main_records = m->begin;
  return true;
}

void unregister_module(const SiteRecord* begin) {
  SpinGuard guard(g_lock);
  ModuleSites* m = find_registered(uptr(begin));
  // The executable stays until the end, and threads may outlive its destructors.
  if (!m || uptr(begin) == g_main_records || --m->references) return;
  if (!m->copy) m->copy = copy_records(*m);
  m->records = m->copy;
  m->code_count = 0;
  publish_ranges();
}

SiteId site_id(Site site) {
  if ((site & kRenamedSite) == kRenamedSite) return SiteId(site);
  if (site & kPcSite) return kPcSiteId | SiteId(site);
  const Range* range = find_range(g_records, site);
  return range ? id_in(*range, site) : kNoSite;
}

const SiteRecord* site_record(SiteId site) {
  if (site == kNoSite || (site & kPcSiteId)) return nullptr;
  for (u32 i = 0; i < g_module_count; ++i)
    if (site - g_modules[i].first < g_modules[i].count)
      return &g_modules[i].records[site - g_modules[i].first];
  return nullptr;
}

Site pc_site(uptr pc, SiteKind kind, const char* function) {
  u32 id = g_pcs.intern({{pc, function, kind}});
  return id ? kPcSite | id : 0;
}

const PcSite* pc_site_record(SiteId site) {
  return site & kPcSiteId ? g_pcs.get(site & ~kPcSiteId) : nullptr;
}

u32 pc_site_count() { return g_pcs.count(); }

SpinLock& site_table_lock() { return g_lock; }

namespace {

const SiteRecord& place_of(const SiteRecord& covered) { return (&covered)[1]; }

// How many bytes `byte` lies behind the nearest begin of the access.
u64 distance_into(const SiteRecord& covered, uptr check_begin, uptr byte) {
  const SiteRecord& place = place_of(covered);
  u64 distance = byte - check_begin - u64(i64(place.offset));
  if (!place.stride) return distance;
  i64 rest = i64(distance) % i64(place.stride);
  return u64(rest < 0 ? rest + i64(place.stride) : rest);
}

uptr variable_of(const SiteRecord& proxied) { return uptr(follow(place_of(proxied).variable)); }

const SiteRecord* check_record(SiteId site) {
  const SiteRecord* record = site_record(site);
  return record && record->role == SiteRole::Check ? record : nullptr;
}

// Of a check and its place, the covered accesses and theirs: the last access.
u32 last_covered(const SiteRecord& check) { return 2 * place_of(check).covered; }

} // namespace

SiteId covered_site(SiteId site, uptr check_begin, uptr byte) {
  const SiteRecord* check = check_record(site);
  if (!check) return site;
  SiteId same_kind = kNoSite, other_kind = kNoSite, undecided = kNoSite;
  bool is_ambiguous = false;
  for (u32 i = 2; i <= last_covered(*check); i += 2) {
    const SiteRecord& covered = check[i];
    bool is_same = covered.kind == check->kind;
    if (covered.role == SiteRole::Extent) continue;
    if (covered.role == SiteRole::Proxied) {
      if (byte - variable_of(covered) < covered.size) (is_same ? same_kind : other_kind) = site + i;
    } else if (place_of(covered).offset == kUnknownOffset) {
      if (!is_same) continue;
      is_ambiguous |= undecided != kNoSite;
      undecided = site + i;
    } else if (distance_into(covered, check_begin, byte) < covered.size) {
      // The last: a check that was put off past a release stands for an access after it (it is not legitimate for earlier ones), and
      // accesses that come after their check are all in its span.
      (is_same ? same_kind : other_kind) = site + i;
    }
  }
  if (same_kind != kNoSite) return same_kind;
  if (undecided != kNoSite) return is_ambiguous ? site : undecided;
  return other_kind != kNoSite ? other_kind : site;
}

SiteId only_covered_site(SiteId site, uptr byte) {
  const SiteRecord* check = check_record(site);
  if (!check) return site;
  u32 found = 0;
  for (u32 i = 2; i <= last_covered(*check); i += 2) {
    if (check[i].kind != check->kind || check[i].role == SiteRole::Extent) continue;
    if (check[i].role == SiteRole::Proxied && byte - variable_of(check[i]) < check[i].size) return site + i;
    if (check[i].role == SiteRole::Proxied) continue;
    if (found && (check[i].line != check[found].line || check[i].size != check[found].size)) return site;
    if (!found) found = i;
  }
  return found ? site + found : site;
}

bool proxied_bytes(SiteId site, u32 index, ProxiedBytes* out) {
  const SiteRecord* check = check_record(site);
  if (!check) return false;
  for (u32 i = 2; i <= last_covered(*check); i += 2) {
    if (check[i].role == SiteRole::Covered || index--) continue;
    *out = {uptr(follow(place_of(check[i]).proxy)), variable_of(check[i]), check[i].size};
    return true;
  }
  return false;
}

uptr covered_begin(const SiteRecord& covered, uptr check_begin, uptr byte) {
  if (covered.role == SiteRole::Proxied) return variable_of(covered);
  return place_of(covered).offset == kUnknownOffset ? byte : byte - distance_into(covered, check_begin, byte);
}

bool covers_others(SiteId site) { return check_record(site) != nullptr; }

namespace {
const SiteRecord& at_distance(const SiteRecord& record, i32 bytes) {
  return *reinterpret_cast<const SiteRecord*>(reinterpret_cast<const char*>(&record) + bytes);
}
const SiteRecord& scope_of(const SiteRecord& record) { return at_distance(record, record.scope); }
} // namespace

const char* site_file(const SiteRecord& record) { return follow(scope_of(record).file); }
const char* site_function(const SiteRecord& record) { return follow(scope_of(record).function); }
const SiteRecord* site_inlined_at(const SiteRecord& record) {
  const SiteRecord& scope = scope_of(record);
  return scope.inlined_at ? &at_distance(scope, scope.inlined_at) : nullptr;
}

bool is_module_code(uptr pc) { return find_range(g_code, pc); }

} // namespace footrace
