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

// The struct below is emitted field by field; these tie it to the runtime's view.
static_assert(offsetof(SiteRecord, file) == 0 && offsetof(SiteRecord, function) == 4);
static_assert(offsetof(SiteRecord, line) == 8 && offsetof(SiteRecord, column) == 12);
static_assert(offsetof(SiteRecord, kind) == 14 && offsetof(SiteRecord, role) == 15);
static_assert(offsetof(SiteRecord, size) == 16 && offsetof(SiteRecord, inlined_at) == 20);
static_assert(offsetof(SiteRecord, offset) == 24 && offsetof(SiteRecord, stride) == 28);
constexpr uint64_t record_size = sizeof(SiteRecord);

StructType* record_type(LLVMContext& context) {
  Type* i8 = Type::getInt8Ty(context);
  Type* i16 = Type::getInt16Ty(context);
  Type* i32 = Type::getInt32Ty(context);
  return StructType::get(context, {i32, i32, i32, i16, i8, i8, i32, i32, i32, i32});
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

int SiteTable::add(const Record& record) {
  records_.push_back(record);
  return static_cast<int>(records_.size()) - 1;
}

SiteTable::Record SiteTable::at_location(const DILocation* location) {
  const DISubprogram* subprogram = location->getScope()->getSubprogram();
  const auto column = static_cast<uint16_t>(location->getColumn());
  return {.file = strings_.get(joined_path(location->getFile())),
          .function = function_name(subprogram),
          .line = location->getLine(),
          .column = column,
          .kind = SiteKind::Inlined,
          .size = 0,
          .inlined_at = add_inlined(location->getInlinedAt())};
}

int SiteTable::add_inlined(const DILocation* location) {
  if (location == nullptr) return -1;
  if (const auto known = inlined_.find(location); known != inlined_.end()) return known->second;
  const int index = add(at_location(location));
  inlined_[location] = index;
  return index;
}

SiteTable::Record SiteTable::record_of(const Instruction& at, SiteKind kind, uint64_t size) {
  Record record{.file = nullptr,
                .function = function_name(nullptr),
                .line = 0,
                .column = 0,
                .kind = kind,
                .size = 0,
                .inlined_at = -1};
  if (const DILocation* location = best_location(at)) {
    record = at_location(location);
    record.kind = kind;
  } else if (const DISubprogram* subprogram = function_.getSubprogram()) {
    record.file = strings_.get(joined_path(subprogram->getFile()));
    record.line = subprogram->getScopeLine();
  }
  if (size <= UINT32_MAX) record.size = static_cast<uint32_t>(size);
  return record;
}

Constant* SiteTable::site(const Instruction& at, SiteKind kind, uint64_t size) {
  return address(static_cast<unsigned>(add(record_of(at, kind, size))));
}

Constant* SiteTable::check(SiteKind kind, uint64_t size, ArrayRef<CoveredSite> covered) {
  // All calls that they were inlined through come first, so that nothing stands between the records of one check.
  std::vector<Record> records = {record_of(*covered.front().at, kind, size)};
  records.front().role = SiteRole::Check;
  records.front().stride = static_cast<uint32_t>(covered.size());
  for (const CoveredSite& access : covered) {
    Record& record = records.emplace_back(record_of(*access.at, access.kind, access.size));
    record.role = SiteRole::Covered;
    record.offset = access.place.offset;
    record.stride = access.place.stride;
  }
  const int first = add(records.front());
  for (const Record& record : ArrayRef(records).drop_front()) add(record);
  return address(static_cast<unsigned>(first));
}

void SiteTable::add_function_record() {
  add({.file = nullptr,
       .function = function_name(nullptr),
       .line = 0,
       .column = 0,
       .kind = SiteKind::Inlined,
       .size = 0,
       .inlined_at = -1});
}

void SiteTable::emit(SiteLinkage linkage) {
  if (records_.empty()) return placeholder_->eraseFromParent();
  LLVMContext& context = module_.getContext();
  StructType* type = record_type(context);
  const auto integer = [&](unsigned bits, uint64_t value) -> Constant* {
    return ConstantInt::get(Type::getIntNTy(context, bits), value);
  };
  std::vector<Constant*> rows;
  for (unsigned i = 0; i < records_.size(); ++i) {
    const Record& record = records_[i];
    const auto field = [&](uint64_t offset) { return at_offset(placeholder_, i * record_size + offset); };
    Constant* outer = record.inlined_at < 0 ? nullptr : address(static_cast<unsigned>(record.inlined_at));
    rows.push_back(ConstantStruct::get(
        type, {relative(record.file, field(offsetof(SiteRecord, file))),
               relative(record.function, field(offsetof(SiteRecord, function))), integer(32, record.line),
               integer(16, record.column), integer(8, static_cast<uint64_t>(record.kind)),
               integer(8, static_cast<uint64_t>(record.role)), integer(32, record.size),
               relative(outer, field(offsetof(SiteRecord, inlined_at))),
               integer(32, static_cast<uint32_t>(record.offset)), integer(32, record.stride)}));
  }
  auto* array_type = ArrayType::get(type, rows.size());
  auto* array =
      new GlobalVariable(module_, array_type, /*isConstant=*/true, GlobalValue::PrivateLinkage,
                         ConstantArray::get(array_type, rows), "__footrace_sites." + function_.getName());
  array->setSection(FOOTRACE_SITE_SECTION);
  array->setAlignment(Align(record_size));
  if (linkage == SiteLinkage::WithFunction) array->setComdat(function_.getComdat());
  placeholder_->replaceAllUsesWith(array);
  placeholder_->eraseFromParent();
}

} // namespace footrace
