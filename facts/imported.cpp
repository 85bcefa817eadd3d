#include "facts/imported.h"

#include "facts/summaries.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace footrace {
namespace {

constexpr StringLiteral attribute = "footrace-effects";

} // namespace

bool note_imported_effects(Module& module, const Summaries& summaries) {
  bool changed = false;
  for (Function& function : module) {
    if (!function.hasAvailableExternallyLinkage()) continue;
    function.addFnAttr(attribute, utostr(summaries.effects(function).bits()));
    changed = true;
  }
  return changed;
}

std::optional<Effects> noted_effects(const Function& function) {
  const Attribute note = function.getFnAttribute(attribute);
  u8 bits = 0;
  if (!note.isValid() || note.getValueAsString().getAsInteger(10, bits)) return std::nullopt;
  return Effects::from_bits(bits);
}

} // namespace footrace
