#include "record/module_sites.h"

#include "abi/site.h"

#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstring>
#include <elf.h>

namespace footrace::record {

// A file as it lies in memory: what a relative address of a loaded segment holds.
struct ModuleSites::Image {
  std::unique_ptr<llvm::MemoryBuffer> file;
  std::vector<Elf64_Phdr> segments;

  explicit Image(const std::string& path) {
    auto read = llvm::MemoryBuffer::getFile(path, false, false);
    if (!read) return;
    file = std::move(*read);
    Elf64_Ehdr head;
    if (!copy(0, &head, sizeof head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) ||
        head.e_ident[EI_CLASS] != ELFCLASS64)
      return;
    for (u64 i = 0; i < head.e_phnum; ++i) {
      Elf64_Phdr segment;
      if (!copy(head.e_phoff + i * sizeof segment, &segment, sizeof segment)) return;
      if (segment.p_type == PT_LOAD) segments.push_back(segment);
    }
  }

  bool copy(u64 offset, void* to, u64 size) const {
    const u64 bytes = file->getBufferSize();
    if (offset > bytes || size > bytes - offset) return false;
    std::memcpy(to, file->getBufferStart() + offset, size);
    return true;
  }
  // Where in the file the byte is; ~0: nowhere.
  u64 offset_of(u64 address) const {
    for (const Elf64_Phdr& s : segments)
      if (address - s.p_vaddr < s.p_filesz) return address - s.p_vaddr + s.p_offset;
    return ~u64(0);
  }
  bool record_at(u64 address, SiteRecord& record) const {
    return file && copy(offset_of(address), &record, sizeof record);
  }
  // `field` has the distance from itself to the text.
  std::string text_at(u64 field, i32 distance) const {
    const u64 offset = distance ? offset_of(field + u64(i64(distance))) : ~u64(0);
    if (offset >= file->getBufferSize()) return {};
    const char* begin = file->getBufferStart() + offset;
    return {begin, strnlen(begin, file->getBufferSize() - offset)};
  }
};

ModuleSites::ModuleSites() = default;
ModuleSites::~ModuleSites() = default;

bool ModuleSites::add(const TraceModule& module) {
  for (const TraceModule& m : modules_)
    if (m == module) return false;
  std::erase_if(modules_, [&](const TraceModule& m) { return m.begin < module.end && module.begin < m.end; });
  modules_.push_back(module);
  knows_modules_ = false;
  return true;
}

const TraceModule* ModuleSites::module_of(u64 address) const {
  for (const TraceModule& m : modules_)
    if (address - m.begin < m.end - m.begin) return &m;
  return nullptr;
}

ModuleSites::Image& ModuleSites::image_of(const TraceModule& module) {
  auto& image = images_[module.path];
  if (!image) image = std::make_unique<Image>(module.path);
  return *image;
}

TraceSite ModuleSites::of_record(u64 address) {
  const TraceModule* module = module_of(address);
  if (!module) return {};
  const Image& image = image_of(*module);
  TraceSite site;
  constexpr size_t kMostInlined = 64;
  for (u64 at = address - module->base; site.frames.size() < kMostInlined;) {
    SiteRecord record, scope;
    const u64 scope_at = image.record_at(at, record) ? at + u64(i64(record.scope)) : 0;
    if (!image.record_at(scope_at, scope) || scope.role != SiteRole::Scope) break;
    TraceFrame frame;
    frame.line = record.line;
    frame.column = record.column;
    frame.file = image.text_at(scope_at + offsetof(SiteRecord, file), scope.file);
    frame.function = llvm::demangle(image.text_at(scope_at + offsetof(SiteRecord, function), scope.function));
    site.frames.push_back(std::move(frame));
    if (!scope.inlined_at) break;
    at = scope_at + u64(i64(scope.inlined_at));
  }
  if (site.frames.empty()) site.frames.emplace_back();
  site.frames[0].module = module->path;
  site.frames[0].offset = address - module->base;
  return site;
}

std::vector<ModuleSites::Proxied> ModuleSites::proxied_at(u64 address) {
  const TraceModule* module = module_of(address);
  if (!module) return {};
  const Image& image = image_of(*module);
  const u64 check = address - module->base;
  SiteRecord record, place;
  if (!image.record_at(check, record) || record.role != SiteRole::Check ||
      !image.record_at(check + sizeof record, place))
    return {};
  std::vector<Proxied> all;
  for (u64 i = 1; i <= place.covered; ++i) {
    const u64 at = check + 2 * i * sizeof record, place_at = at + sizeof record;
    SiteRecord one, where;
    if (!image.record_at(at, one) || !image.record_at(place_at, where)) break;
    if (one.role != SiteRole::Proxied && one.role != SiteRole::Extent) continue;
    const u64 loaded = module->base + place_at;
    all.push_back({loaded + offsetof(SiteRecord, proxy) + u64(i64(where.proxy)),
                   loaded + offsetof(SiteRecord, variable) + u64(i64(where.variable)), one.size,
                   one.role == SiteRole::Proxied ? module->base + at : address});
  }
  return all;
}

TraceSite ModuleSites::of_return_address(u64 pc) const {
  TraceFrame frame;
  if (const TraceModule* module = module_of(pc)) {
    frame.module = module->path;
    frame.offset = pc - 1 - module->base; // inside the call
  } else {
    frame.offset = pc - 1;
  }
  return {{frame}};
}

TraceSite ModuleSites::symbolised(u64 pc) {
  if (!knows_modules_) {
    std::vector<findings::Module> modules;
    for (const TraceModule& m : modules_) modules.push_back({m.path, m.base, m.begin, m.end});
    symbolizer_.set_modules(std::move(modules));
    knows_modules_ = true;
  }
  TraceSite site = of_return_address(pc);
  const TraceFrame place = site.frames[0];
  site.frames.clear();
  for (const findings::StackFrame& f : symbolizer_.frames_at(pc))
    site.frames.push_back(
        {f.function, f.location.file, f.location.line, f.location.column, place.module, place.offset});
  return site;
}

} // namespace footrace::record
