#include "findings/member_path.h"

#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/DebugInfo/DWARF/DWARFUnit.h"

#include <cctype>
#include <vector>

namespace footrace::findings {

using llvm::DWARFDie;
namespace dwarf = llvm::dwarf;

namespace {

constexpr int most_steps = 64; // damaged debug information must not lead us in circles

std::uint64_t number(DWARFDie die, dwarf::Attribute attribute, std::uint64_t fallback = 0) {
  return dwarf::toUnsigned(die.find(attribute), fallback);
}

bool has_reserved_name(llvm::StringRef name) {
  return name.size() > 1 && name[0] == '_' &&
         (name[1] == '_' || std::isupper(static_cast<unsigned char>(name[1])));
}

// A member or base class of a class, and the bytes of it.
struct Part {
  DWARFDie die;
  std::uint64_t begin = 0, size = 0;
  bool has_constant_place = false;
};

Part part_of(DWARFDie die) {
  Part part;
  part.die = die;
  std::uint64_t bits = number(die, dwarf::DW_AT_bit_size);
  if (bits != 0) {
    std::uint64_t first = number(die, dwarf::DW_AT_data_bit_offset);
    part.begin = first / 8;
    part.size = (first + bits + 7) / 8 - part.begin;
    part.has_constant_place = true;
    return part;
  }
  std::optional<llvm::DWARFFormValue> place = die.find(dwarf::DW_AT_data_member_location);
  std::optional<std::uint64_t> begin =
      place ? dwarf::toUnsigned(place) : 0; // a virtual base has an expression
  part.has_constant_place = begin.has_value();
  part.begin = begin.value_or(0);
  part.size = size_of_type(type_of(die));
  return part;
}

// The one part that has the byte at `offset`; invalid if there is none or several.
DWARFDie only_part_at(DWARFDie type, std::uint64_t& offset) {
  Part found;
  for (DWARFDie child : type.children()) {
    bool is_part = child.getTag() == dwarf::DW_TAG_member || child.getTag() == dwarf::DW_TAG_inheritance;
    if (!is_part || child.find(dwarf::DW_AT_external) || child.find(dwarf::DW_AT_declaration)) continue;
    Part part = part_of(child);
    if (!part.has_constant_place || offset < part.begin || offset - part.begin >= part.size) continue;
    if (found.die) return {};
    found = part;
  }
  offset -= found.begin;
  return found.die;
}

// Elements of each dimension, outermost first; 0: not known, as of a flexible array.
std::vector<std::uint64_t> dimensions(DWARFDie array) {
  std::vector<std::uint64_t> counts;
  for (DWARFDie child : array.children()) {
    if (child.getTag() != dwarf::DW_TAG_subrange_type) continue;
    std::optional<std::uint64_t> count = dwarf::toUnsigned(child.find(dwarf::DW_AT_count));
    std::optional<std::uint64_t> last = dwarf::toUnsigned(child.find(dwarf::DW_AT_upper_bound));
    counts.push_back(count ? *count : last ? *last + 1 : 0);
  }
  return counts;
}

// "[1][2]"; what remains of `offset` is inside the element. Empty: not known.
std::string subscripts(DWARFDie array, std::uint64_t& offset) {
  std::uint64_t stride = size_of_type(type_of(array));
  if (stride == 0) return {};
  std::vector<std::uint64_t> counts = dimensions(array);
  std::uint64_t element = offset / stride;
  offset %= stride;
  std::string text;
  for (std::size_t i = counts.size(); i-- > 0;) {
    bool is_outermost = i == 0;
    if (counts[i] == 0 && !is_outermost) return {};
    std::uint64_t index = is_outermost ? element : element % counts[i];
    if (is_outermost && counts[i] != 0 && index >= counts[i]) return {};
    text.insert(0, '[' + std::to_string(index) + ']');
    if (!is_outermost) element /= counts[i];
  }
  return text;
}

} // namespace

DWARFDie type_of(DWARFDie die) {
  return die.getAttributeValueAsReferencedDie(dwarf::DW_AT_type).resolveTypeUnitReference();
}

DWARFDie plain_type(DWARFDie type) {
  for (int steps = 0; type && steps < most_steps; ++steps) {
    switch (type.getTag()) {
    case dwarf::DW_TAG_typedef:
    case dwarf::DW_TAG_const_type:
    case dwarf::DW_TAG_volatile_type:
    case dwarf::DW_TAG_restrict_type:
    case dwarf::DW_TAG_atomic_type:
      type = type_of(type);
      break;
    default:
      return type;
    }
  }
  return {};
}

std::uint64_t size_of_type(DWARFDie type) {
  type = plain_type(type);
  if (!type) return 0;
  return type.getTypeSize(type.getDwarfUnit()->getAddressByteSize()).value_or(0);
}

std::string member_path(DWARFDie type, std::uint64_t offset) {
  std::string path;
  type = plain_type(type);
  for (int steps = 0; type && steps < most_steps; ++steps) {
    if (type.getTag() == dwarf::DW_TAG_array_type) {
      std::string text = subscripts(type, offset);
      if (text.empty()) return path;
      path += text;
      type = plain_type(type_of(type));
      continue;
    }
    bool has_parts = type.getTag() == dwarf::DW_TAG_structure_type ||
                     type.getTag() == dwarf::DW_TAG_class_type || type.getTag() == dwarf::DW_TAG_union_type;
    DWARFDie part = has_parts ? only_part_at(type, offset) : DWARFDie();
    if (!part) return path;
    if (const char* name = part.getShortName(); name && *name && part.getTag() == dwarf::DW_TAG_member) {
      if (has_reserved_name(name)) return path;
      path += '.';
      path += name;
    }
    type = plain_type(type_of(part));
  }
  return path;
}

} // namespace footrace::findings
