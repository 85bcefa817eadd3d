#include "instrument/sites.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Support/Path.h"

#include <cstddef>

using namespace llvm;

namespace footrace {
namespace {

// A record is emitted as four words; these tie them to the runtime's view.
static_assert(offsetof(SiteRecord, line) == 0 && offsetof(SiteRecord, file) == 0 &&
              offsetof(SiteRecord, offset) == 0 && offsetof(SiteRecord, variable) == 0);
static_assert(offsetof(SiteRecord, column) == 4 && offsetof(SiteRecord, kind) == 6 &&
              offsetof(SiteRecord, role) == 7);
static_assert(offsetof(SiteRecord, size) == 8 && offsetof(SiteRecord, function) == 8 &&
              offsetof(SiteRecord, stride) == 8 && offsetof(SiteRecord, proxy) == 8);
static_assert(offsetof(SiteRecord, scope) == 12 && offsetof(SiteRecord, inlined_at) == 12 &&
              offsetof(SiteRecord, covered) == 12);
constexpr uint64_t record_size = sizeof(SiteRecord);

uint32_t second_word(uint16_t column, SiteKind kind, SiteRole role) {
  return column | static_cast<uint32_t>(kind) << 16 | static_cast<uint32_t>(role) << 24;
}

// In bounds: LLVM then sees that differences of these need no relocation at load time, and the section is
// read-only.
Constant* at_offset(Constant* base, uint64_t offset) {
  LLVMContext& context = base->getContext();
  return ConstantExpr::getInBoundsGetElementPtr(Type::getInt8Ty(context), base,
                                                ConstantInt::get(Type::getInt64Ty(context), offset));
}

// target - field, as 32 bits; 0 if there is no target.
Constant* relative(Constant* target, Constant* field) {
  LLVMContext& context = field->getContext();
  if (target == nullptr) return ConstantInt::get(Type::getInt32Ty(context), 0);
  Type* i64 = Type::getInt64Ty(context);
  Constant* distance =
      ConstantExpr::getSub(ConstantExpr::getPtrToInt(target, i64), ConstantExpr::getPtrToInt(field, i64));
  return ConstantExpr::getTrunc(distance, Type::getInt32Ty(context));
}

} // namespace

std::string joined_path(const DIFile* file) {
  SmallString<256> path;
  if (!sys::path::is_absolute(file->getFilename())) path = file->getDirectory();
  sys::path::append(path, file->getFilename());
  sys::path::remove_dots(path);
  return std::string(path);
}

const DILocation* best_location(const Instruction& at) {
  const DILocation* own = at.getDebugLoc().get();
  if (own != nullptr && own->getLine() != 0) return own;
  const auto usable = [&](const Instruction& inst) {
    const DILocation* location = inst.getDebugLoc().get();
    return location != nullptr && location->getLine() != 0 &&
           (own == nullptr || (location->getInlinedAt() == own->getInlinedAt() &&
                               location->getScope()->getSubprogram() == own->getScope()->getSubprogram()));
  };
  for (const Instruction* inst = at.getPrevNode(); inst != nullptr; inst = inst->getPrevNode())
    if (usable(*inst)) return inst->getDebugLoc().get();
  for (const Instruction* inst = at.getNextNode(); inst != nullptr; inst = inst->getNextNode())
    if (usable(*inst)) return inst->getDebugLoc().get();
  return own;
}

Constant* SiteStrings::get(StringRef text) {
  Constant*& entry = strings_[text];
  if (entry == nullptr) {
    Constant* bytes = ConstantDataArray::getString(module_.getContext(), text);
    auto* variable = new GlobalVariable(module_, bytes->getType(), /*isConstant=*/true,
                                        GlobalValue::PrivateLinkage, bytes, "__footrace_string");
    variable->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
    variable->setAlignment(Align(1));
    entry = variable;
  }
  return entry;
}

SiteTable::SiteTable(Function& function, SiteStrings& strings)
    : function_(function), module_(*function.getParent()), strings_(strings),
      placeholder_(new GlobalVariable(module_, Type::getInt8Ty(module_.getContext()), /*isConstant=*/true,
                                      GlobalValue::ExternalLinkage, nullptr,
                                      "__footrace_sites.placeholder")) {}

Constant* SiteTable::address(unsigned index) const { return at_offset(placeholder_, index * record_size); }

Constant* SiteTable::function_name(const DISubprogram* subprogram) {
  if (subprogram == nullptr || subprogram == function_.getSubprogram())
    return strings_.get(function_.getName());
  const StringRef linkage = subprogram->getLinkageName();
  return strings_.get(linkage.empty() ? subprogram->getName() : linkage);
}

unsigned SiteTable::add(const Slot& slot) {
  slots_.push_back(slot);
  return static_cast<unsigned>(slots_.size()) - 1;
}

// Bytes from the record that comes next to an earlier one.
uint32_t SiteTable::distance_to(unsigned index) const {
  return static_cast<uint32_t>((int64_t(index) - int64_t(slots_.size())) * int64_t(record_size));
}

unsigned SiteTable::scope(const DIFile* file, const DISubprogram* subprogram, const DILocation* inlined_at) {
  if (const auto known = scopes_.find({file, subprogram, inlined_at}); known != scopes_.end())
    return known->second;
  const std::optional<unsigned> outer =
      inlined_at != nullptr ? std::optional(call_site(inlined_at)) : std::nullopt;
  const unsigned index = add(
      {.words = {0, second_word(0, SiteKind::Inlined, SiteRole::Scope), 0, outer ? distance_to(*outer) : 0},
       .file = file != nullptr ? strings_.get(joined_path(file)) : nullptr,
       .function = function_name(subprogram)});
  scopes_[{file, subprogram, inlined_at}] = index;
  return index;
}

SiteTable::Where SiteTable::where(const DILocation* location) {
  return {scope(location->getFile(), location->getScope()->getSubprogram(), location->getInlinedAt()),
          location->getLine(), static_cast<uint16_t>(location->getColumn())};
}

SiteTable::Where SiteTable::where(const Instruction& at) {
  if (const DILocation* location = best_location(at)) return where(location);
  const DISubprogram* subprogram = function_.getSubprogram();
  if (subprogram == nullptr) return {scope(nullptr, nullptr, nullptr), 0, 0};
  return {scope(subprogram->getFile(), subprogram, nullptr), subprogram->getScopeLine(), 0};
}

unsigned SiteTable::add_record(const Where& where, SiteKind kind, SiteRole role, uint64_t size) {
  return add({.words = {where.line, second_word(where.column, kind, role),
                        size <= UINT32_MAX ? static_cast<uint32_t>(size) : 0, distance_to(where.scope)}});
}

void SiteTable::add_place(const CoverPlace& place, uint32_t covered) {
  add({.words = {static_cast<uint32_t>(place.offset), second_word(0, SiteKind::Inlined, SiteRole::Place),
                 place.stride, covered}});
}

// One scope has one of them.
unsigned SiteTable::call_site(const DILocation* location) {
  return add_record(where(location), SiteKind::Inlined, SiteRole::Access, 0);
}

Constant* SiteTable::site(const Instruction& at, SiteKind kind, uint64_t size) {
  return address(add_record(where(at), kind, SiteRole::Access, size));
}

Constant* SiteTable::check(SiteKind kind, uint64_t size, ArrayRef<CoveredSite> covered,
                           ArrayRef<ProxiedSite> proxied) {
  // Scopes come first, so that nothing stands between the records of one check.
  std::vector<Where> places;
  for (const CoveredSite& access : covered) places.push_back(where(*access.at));
  for (const ProxiedSite& access : proxied) places.push_back(where(*access.at));
  const unsigned first = add_record(places.front(), kind, SiteRole::Check, size);
  add_place({}, static_cast<uint32_t>(places.size()));
  for (const auto& [access, place] : zip(covered, places)) {
    add_record(place, access.kind, SiteRole::Covered, access.size);
    add_place(access.place, 0);
  }
  for (const auto& [access, place] : zip_equal(proxied, ArrayRef(places).drop_front(covered.size()))) {
    add_record(place, access.kind, access.role, access.size);
    add({.words = {0, second_word(0, SiteKind::Inlined, SiteRole::Place), 0, 0},
         .file = access.address,
         .function = access.proxy});
  }
  return address(first);
}

void SiteTable::add_function_record() {
  add_record({scope(nullptr, nullptr, nullptr), 0, 0}, SiteKind::Inlined, SiteRole::Access, 0);
}

// Words of which two lead somewhere.
Constant* SiteTable::words_with_targets(unsigned index) const {
  const Slot& slot = slots_[index];
  LLVMContext& context = module_.getContext();
  const auto word = [&](uint32_t value) -> Constant* {
    return ConstantInt::get(Type::getInt32Ty(context), value);
  };
  const auto field = [&](uint64_t offset) { return at_offset(placeholder_, index * record_size + offset); };
  return ConstantStruct::getAnon({relative(slot.file, field(offsetof(SiteRecord, file))), word(slot.words[1]),
                                  relative(slot.function, field(offsetof(SiteRecord, function))),
                                  word(slot.words[3])});
}

// Plain numbers in arrays of words: no constant per field, which every later pass would walk through.
Constant* SiteTable::all_words() const {
  std::vector<Constant*> pieces;
  std::vector<uint32_t> words;
  const auto end_piece = [&] {
    if (!words.empty()) pieces.push_back(ConstantDataArray::get(module_.getContext(), words));
    words.clear();
  };
  for (unsigned i = 0; i < slots_.size(); ++i) {
    if (slots_[i].function == nullptr) {
      words.insert(words.end(), std::begin(slots_[i].words), std::end(slots_[i].words));
      continue;
    }
    end_piece();
    pieces.push_back(words_with_targets(i));
  }
  end_piece();
  return ConstantStruct::getAnon(pieces);
}

void SiteTable::emit(SiteLinkage linkage) {
  if (slots_.empty()) return placeholder_->eraseFromParent();
  Constant* words = all_words();
  auto* array =
      new GlobalVariable(module_, words->getType(), /*isConstant=*/true, GlobalValue::PrivateLinkage, words,
                         "__footrace_sites." + function_.getName());
  array->setSection(FOOTRACE_SITE_SECTION);
  array->setAlignment(Align(record_size));
  if (linkage == SiteLinkage::WithFunction) array->setComdat(function_.getComdat());
  placeholder_->replaceAllUsesWith(array);
  placeholder_->eraseFromParent();
}

} // namespace footrace
