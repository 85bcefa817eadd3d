#include "findings/debug_info.h"

#include "findings/member_path.h"
#include "findings/names.h"

#include "llvm/DebugInfo/DWARF/DWARFCompileUnit.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/DebugInfo/DWARF/DWARFDebugFrame.h"
#include "llvm/DebugInfo/DWARF/DWARFUnit.h"
#include "llvm/DebugInfo/DWARF/LowLevel/DWARFUnwindTable.h"
#include "llvm/Object/BuildID.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/Support/LEB128.h"

#include <cctype>
#include <functional>

namespace footrace::findings {

using llvm::DWARFDie;
namespace dwarf = llvm::dwarf;

namespace {

using Binary = llvm::object::OwningBinary<llvm::object::ObjectFile>;
constexpr unsigned deepest = 64;
enum Register : unsigned { rbp = 6, rsp = 7 };

Binary open_object(const std::string& path) {
  llvm::Expected<Binary> object = llvm::object::ObjectFile::createObjectFile(path);
  if (object) return std::move(*object);
  llvm::consumeError(object.takeError()); // unreadable: nothing is known
  return {};
}

bool has_section_named(const llvm::object::ObjectFile& object, llvm::StringRef wanted) {
  for (const llvm::object::SectionRef& section : object.sections()) {
    llvm::Expected<llvm::StringRef> name = section.getName();
    if (!name)
      llvm::consumeError(name.takeError());
    else if (*name == wanted)
      return true;
  }
  return false;
}

// First of `die` and what is below it, in order, that `wanted` wants.
DWARFDie find_below(DWARFDie die, const std::function<bool(DWARFDie)>& wanted, unsigned depth = 0) {
  if (!die || depth > deepest) return {};
  if (wanted(die)) return die;
  for (DWARFDie child : die.children())
    if (DWARFDie found = find_below(child, wanted, depth + 1)) return found;
  return {};
}

// The declaration that a function or variable came from: its class and template arguments are there.
DWARFDie origin_of(DWARFDie die) {
  for (unsigned i = 0; i < deepest && die; ++i) {
    DWARFDie next = die.getAttributeValueAsReferencedDie(dwarf::DW_AT_abstract_origin);
    if (!next) next = die.getAttributeValueAsReferencedDie(dwarf::DW_AT_specification);
    if (!next) return die;
    die = next;
  }
  return die;
}

DWARFDie first_template_argument(DWARFDie die) {
  for (DWARFDie child : die.children())
    if (child.getTag() == dwarf::DW_TAG_template_type_parameter) return plain_type(type_of(child));
  return {};
}

std::string_view short_name(DWARFDie die) {
  const char* name = die ? die.getShortName() : nullptr;
  return name ? name : "";
}

// std::allocator<T>::allocate and make_unique<T> allocate Ts.
DWARFDie type_of_library_call(DWARFDie function) {
  DWARFDie origin = origin_of(function);
  if (std::string_view name = short_name(origin); name.starts_with("make_unique"))
    return first_template_argument(origin);
  if (short_name(origin) != "allocate") return {};
  DWARFDie owner = origin.getParent();
  std::string_view name = short_name(owner);
  bool is_allocator = name.starts_with("__new_allocator<") || name.starts_with("new_allocator<") ||
                      name.starts_with("allocator<");
  return is_allocator ? first_template_argument(owner) : DWARFDie();
}

bool is_name_character(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// The type that "new Account(...)" and "malloc(sizeof(struct account))" name; empty if the text has neither.
std::string_view allocated_name(std::string_view text) {
  auto word_at = [&](std::string_view word) {
    for (std::size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
      if ((at == 0 || !is_name_character(text[at - 1])) && !is_name_character(text[at + word.size()]))
        return at + word.size();
    return std::string_view::npos;
  };
  text = text.substr(0, text.find(';'));
  std::string ended(text);
  ended += ' '; // word_at looks behind the word
  text = ended;
  std::size_t at = word_at("new");
  if (at == std::string_view::npos) at = word_at("sizeof");
  if (at == std::string_view::npos) return {};
  static thread_local std::string name;
  name.clear();
  while (at < text.size() && (text[at] == ' ' || text[at] == '(')) ++at;
  for (std::string_view keyword : {"struct ", "class ", "const "})
    if (text.substr(at).starts_with(keyword)) at += keyword.size();
  while (at < text.size() && (is_name_character(text[at]) || text[at] == ':')) name += text[at++];
  if (std::size_t colons = name.rfind("::"); colons != std::string::npos) name.erase(0, colons + 2);
  return name;
}

// In front of an array whose elements have destructors lies their number.
constexpr std::uint64_t count_before_array = 8;
bool has_count_before(std::uint64_t size, std::uint64_t bytes) {
  return size > bytes && size % bytes == count_before_array % bytes;
}
bool has_room_for_whole(std::uint64_t size, std::uint64_t bytes) {
  return bytes != 0 && (size % bytes == 0 || has_count_before(size, bytes));
}

// A record of that name in the unit, complete, of which `size` bytes are a whole number.
DWARFDie type_named(llvm::DWARFUnit& unit, std::string_view name, std::uint64_t size) {
  if (name.empty()) return {};
  return find_below(unit.getUnitDIE(false), [&](DWARFDie die) {
    bool is_type = die.getTag() == dwarf::DW_TAG_structure_type || die.getTag() == dwarf::DW_TAG_class_type ||
                   die.getTag() == dwarf::DW_TAG_union_type || die.getTag() == dwarf::DW_TAG_typedef;
    if (!is_type || short_name(die) != name) return false;
    return has_room_for_whole(size, size_of_type(die));
  });
}

// Where the T lies in a node of a container, or in what make_shared allocates: at the bytes of the record that are as many as T has.
std::optional<std::uint64_t> place_in_node(DWARFDie node, std::uint64_t bytes, unsigned depth = 0) {
  if (depth > 8) return std::nullopt;
  node = plain_type(node);
  bool is_record =
      node && (node.getTag() == dwarf::DW_TAG_structure_type || node.getTag() == dwarf::DW_TAG_class_type);
  if (!is_record) return node && size_of_type(node) == bytes ? std::optional<std::uint64_t>(0) : std::nullopt;
  std::optional<std::uint64_t> last; // links come first
  for (DWARFDie child : node.children()) {
    if (child.getTag() != dwarf::DW_TAG_member && child.getTag() != dwarf::DW_TAG_inheritance) continue;
    std::optional<std::uint64_t> begin = dwarf::toUnsigned(child.find(dwarf::DW_AT_data_member_location));
    if (!begin) continue;
    if (std::optional<std::uint64_t> inside = place_in_node(type_of(child), bytes, depth + 1))
      last = *begin + *inside;
  }
  return last;
}

AllocatedType describe(DWARFDie type, std::uint64_t size, std::uint64_t offset) {
  std::uint64_t bytes = size_of_type(type);
  if (!has_room_for_whole(size, bytes)) return {};
  if (size % bytes != 0) {
    if (offset < count_before_array) return {};
    offset -= count_before_array;
  }
  if (short_name(type).starts_with('_') && size == bytes)
    if (DWARFDie element = first_template_argument(plain_type(type)); element && size_of_type(element) != 0)
      if (std::optional<std::uint64_t> place = place_in_node(type, size_of_type(element)))
        if (offset >= *place && offset - *place < size_of_type(element))
          return {readable_name(std::string(short_name(element))), member_path(element, offset - *place)};
  AllocatedType found{readable_name(std::string(short_name(type))), member_path(type, offset % bytes)};
  if (size != bytes) found.member.insert(0, '[' + std::to_string(offset / bytes) + ']');
  return found;
}

} // namespace

struct DebugInfo::State {
  Binary binary;
  Binary code; // if debug information is in a file of its own: the module, with its unwind tables
  std::unique_ptr<llvm::DWARFContext> dwarf, code_dwarf;

  static std::unique_ptr<llvm::DWARFContext> open(const Binary& binary) {
    auto ignore = [](llvm::Error error) { llvm::consumeError(std::move(error)); }; // what can be read counts
    if (!binary.getBinary()) return nullptr;
    return llvm::DWARFContext::create(*binary.getBinary(),
                                      llvm::DWARFContext::ProcessDebugRelocations::Ignore, nullptr, "",
                                      ignore, ignore);
  }
  const Binary& module() const { return code.getBinary() ? code : binary; }
  llvm::DWARFContext* unwind_tables() { return code_dwarf ? code_dwarf.get() : dwarf.get(); }

  DWARFDie function_at(std::uint64_t code) {
    llvm::DWARFCompileUnit* unit = dwarf->getCompileUnitForCodeAddress(code);
    return unit ? unit->getSubroutineForAddress(code) : DWARFDie();
  }
  DWARFDie function_named(const std::string& linkage_name);
  std::optional<std::int64_t> stack_pointer_below_frame(std::uint64_t code);
  std::optional<std::int64_t> place_in_frame(DWARFDie variable, DWARFDie function);
};

// Functions that are code of their own, not inlined copies.
DWARFDie DebugInfo::State::function_named(const std::string& linkage_name) {
  for (const std::unique_ptr<llvm::DWARFUnit>& unit : dwarf->compile_units())
    for (DWARFDie die : unit->getUnitDIE(false).children())
      if (die.getTag() == dwarf::DW_TAG_subprogram && die.find(dwarf::DW_AT_low_pc)) {
        const char *linkage = die.getLinkageName(), *plain = die.getShortName();
        if ((linkage && linkage_name == linkage) || (!linkage && plain && linkage_name == plain)) return die;
      }
  return {};
}

// The largest distance in the function: that of its body, between prologue and epilogue.
std::optional<std::int64_t> DebugInfo::State::stack_pointer_below_frame(std::uint64_t code) {
  llvm::Expected<const llvm::DWARFDebugFrame*> frames = unwind_tables()->getEHFrame();
  if (!frames) {
    llvm::consumeError(frames.takeError());
    return std::nullopt;
  }
  for (const dwarf::FrameEntry& entry : **frames) {
    const auto* function = llvm::dyn_cast<dwarf::FDE>(&entry);
    if (!function || code < function->getInitialLocation() ||
        code >= function->getInitialLocation() + function->getAddressRange())
      continue;
    llvm::Expected<dwarf::UnwindTable> table = dwarf::createUnwindTable(function);
    if (!table) {
      llvm::consumeError(table.takeError());
      return std::nullopt;
    }
    std::optional<std::int64_t> most;
    for (const dwarf::UnwindRow& row : *table) {
      const dwarf::UnwindLocation& frame = row.getCFAValue();
      if (frame.getLocation() == dwarf::UnwindLocation::RegPlusOffset && frame.getRegister() == rsp)
        most = std::max<std::int64_t>(most.value_or(0), frame.getOffset());
    }
    return most;
  }
  return std::nullopt;
}

// Offset of a variable from the canonical frame address, if it has one place in memory that is relative to a frame register.
std::optional<std::int64_t> DebugInfo::State::place_in_frame(DWARFDie variable, DWARFDie function) {
  auto below_frame = [&](unsigned reg) -> std::optional<std::int64_t> {
    if (reg == rbp) return -16; // the saved one and the return address are between
    std::uint64_t low = dwarf::toAddress(function.find(dwarf::DW_AT_low_pc), 0);
    std::optional<std::int64_t> distance = reg == rsp ? stack_pointer_below_frame(low) : std::nullopt;
    return distance ? std::optional<std::int64_t>(-*distance) : std::nullopt;
  };
  auto first_byte = [](DWARFDie die, dwarf::Attribute attribute) -> llvm::SmallVector<std::uint8_t> {
    llvm::Expected<std::vector<llvm::DWARFLocationExpression>> places = die.getLocations(attribute);
    if (!places) {
      llvm::consumeError(places.takeError());
      return {};
    }
    for (const llvm::DWARFLocationExpression& place : *places) // of several, the one in memory
      if (!place.Expr.empty() && place.Expr[0] >= dwarf::DW_OP_breg0)
        return {place.Expr.begin(), place.Expr.end()};
    return places->empty()
               ? llvm::SmallVector<std::uint8_t>()
               : llvm::SmallVector<std::uint8_t>(places->front().Expr.begin(), places->front().Expr.end());
  };
  llvm::SmallVector<std::uint8_t> place = first_byte(variable, dwarf::DW_AT_location);
  if (place.size() < 2) return std::nullopt;
  unsigned used = 0;
  std::int64_t offset = llvm::decodeSLEB128(place.data() + 1, &used, place.data() + place.size());
  if (1 + used != place.size()) return std::nullopt; // a value, a reference, or in parts
  if (place[0] >= dwarf::DW_OP_breg0 && place[0] <= dwarf::DW_OP_breg31) {
    std::optional<std::int64_t> base = below_frame(place[0] - dwarf::DW_OP_breg0);
    return base ? std::optional<std::int64_t>(*base + offset) : std::nullopt;
  }
  if (place[0] != dwarf::DW_OP_fbreg) return std::nullopt;
  std::optional<llvm::DWARFFormValue> frame = function.find(dwarf::DW_AT_frame_base);
  std::optional<llvm::ArrayRef<std::uint8_t>> base = frame ? frame->getAsBlock() : std::nullopt;
  if (!base || base->size() != 1) return std::nullopt;
  if ((*base)[0] == dwarf::DW_OP_call_frame_cfa) return offset;
  if ((*base)[0] < dwarf::DW_OP_reg0 || (*base)[0] > dwarf::DW_OP_reg31) return std::nullopt;
  std::optional<std::int64_t> distance = below_frame((*base)[0] - dwarf::DW_OP_reg0);
  return distance ? std::optional<std::int64_t>(*distance + offset) : std::nullopt;
}

DebugInfo::DebugInfo(const std::string& module) : state_(std::make_unique<State>()) {
  state_->binary = open_object(module);
  const llvm::object::ObjectFile* object = state_->binary.getBinary();
  if (object && !has_section_named(*object, ".debug_info")) {
    llvm::object::BuildIDFetcher separate({"/usr/lib/debug"});
    if (std::optional<std::string> file = separate.fetch(llvm::object::getBuildID(object))) {
      state_->code = std::move(state_->binary);
      state_->code_dwarf = State::open(state_->code);
      state_->binary = open_object(*file);
    }
  }
  state_->dwarf = State::open(state_->binary);
}
DebugInfo::~DebugInfo() = default;

bool DebugInfo::has_object() const { return state_->module().getBinary(); }
bool DebugInfo::has_section(std::string_view name) const {
  return has_object() && has_section_named(*state_->module().getBinary(), {name.data(), name.size()});
}

std::string DebugInfo::foreign_compiler_at(std::uint64_t code) {
  llvm::DWARFCompileUnit* unit = state_->dwarf ? state_->dwarf->getCompileUnitForCodeAddress(code) : nullptr;
  if (!unit) return {};
  std::string_view producer = llvm::dwarf::toString(unit->getUnitDIE().find(dwarf::DW_AT_producer), "");
  if (producer.find("rustc") != std::string_view::npos) return "rustc";
  return producer.starts_with("GNU C") ? "GCC" : "";
}

MemberPath DebugInfo::member_of_global(std::uint64_t variable, std::uint64_t offset) {
  if (!state_->dwarf) return {};
  llvm::DWARFCompileUnit* unit = state_->dwarf->getCompileUnitForDataAddress(variable);
  DWARFDie die = unit ? unit->getVariableForAddress(variable) : DWARFDie();
  if (!die) return {};
  DWARFDie type = type_of(die);
  return member_path(type ? type : type_of(origin_of(die)), offset);
}

AllocatedType DebugInfo::allocated_type(std::uint64_t return_address, std::uint64_t size,
                                        std::uint64_t offset, std::string_view line, unsigned column) {
  if (!state_->dwarf || return_address == 0) return {};
  llvm::DWARFCompileUnit* unit = state_->dwarf->getCompileUnitForCodeAddress(return_address - 1);
  if (!unit) return {};
  DWARFDie call = find_below(unit->getSubroutineForAddress(return_address - 1), [&](DWARFDie die) {
    return die.getTag() == dwarf::DW_TAG_call_site && die.find(dwarf::DW_AT_LLVM_alloc_type) &&
           dwarf::toAddress(die.find(dwarf::DW_AT_call_return_pc), 0) == return_address;
  });
  if (call)
    if (DWARFDie type = call.getAttributeValueAsReferencedDie(dwarf::DW_AT_LLVM_alloc_type)) {
      AllocatedType found = describe(type, size, offset);
      if (!found.name.empty()) return found;
    }
  llvm::SmallVector<DWARFDie> chain;
  unit->getInlinedChainForAddress(return_address - 1, chain);
  for (DWARFDie function : chain)
    if (DWARFDie type = type_of_library_call(function)) return describe(type, size, offset);
  // Without optimisation clang does not write down what is allocated; the source says it.
  std::string_view text = column > 1 && column <= line.size() ? line.substr(column - 1) : line;
  return describe(type_named(*unit, allocated_name(text), size), size, offset);
}

StackVariable DebugInfo::stack_variable(const LiveFrame& frame, std::uint64_t address) {
  StackVariable found;
  if (!state_->dwarf) return found;
  DWARFDie function =
      frame.code != 0 ? state_->function_at(frame.code) : state_->function_named(frame.function);
  if (!function) return found;
  std::int64_t place = static_cast<std::int64_t>(address - frame.frame_address);
  DWARFDie variable = find_below(function, [&](DWARFDie die) {
    if (die.getTag() != dwarf::DW_TAG_variable && die.getTag() != dwarf::DW_TAG_formal_parameter)
      return false;
    std::optional<std::int64_t> begin = state_->place_in_frame(die, function);
    if (!begin || place < *begin) return false;
    found.offset = place - *begin;
    return static_cast<std::uint64_t>(found.offset) < size_of_type(type_of(origin_of(die)));
  });
  if (!variable) return found;
  DWARFDie origin = origin_of(variable);
  found.name = std::string(short_name(origin));
  found.size = size_of_type(type_of(origin));
  found.member = member_path(type_of(origin), static_cast<std::uint64_t>(found.offset));
  found.location = {
      readable_path(origin.getDeclFile(llvm::DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath)),
      static_cast<unsigned>(origin.getDeclLine()), 0};
  return found;
}

} // namespace footrace::findings
