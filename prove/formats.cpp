#include "prove/formats.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

namespace footrace::prove {
namespace {

bool has_conversion(llvm::StringRef format, char wanted) {
  for (std::size_t at = format.find('%'); at != llvm::StringRef::npos; at = format.find('%', at + 1)) {
    at = format.find_first_not_of("-+ #'0123456789.*hljztLq$", at + 1);
    if (at == llvm::StringRef::npos) return false;
    if (format[at] == wanted) return true;
  }
  return false;
}

bool has_string(const llvm::Module& module, char conversion) {
  return llvm::any_of(module.globals(), [conversion](const llvm::GlobalVariable& variable) {
    if (!variable.hasInitializer()) return false;
    const auto* bytes = llvm::dyn_cast<llvm::ConstantDataArray>(variable.getInitializer());
    return bytes && bytes->isString() && has_conversion(bytes->getAsString(), conversion);
  });
}

bool may_convert(const llvm::CallBase& call, char conversion) {
  unsigned fixed = call.getFunctionType()->getNumParams();
  if (!call.getFunctionType()->isVarArg() || fixed == 0) return false;
  llvm::StringRef format;
  if (llvm::getConstantStringInfo(call.getArgOperand(fixed - 1), format))
    return has_conversion(format, conversion);
  return has_string(*call.getModule(), conversion);
}

} // namespace

bool has_storing_format(const llvm::Module& module) { return has_string(module, 'n'); }
bool may_store_arguments(const llvm::CallBase& call) { return may_convert(call, 'n'); }
bool may_read_addresses(const llvm::CallBase& call) { return may_convert(call, 'p'); }

} // namespace footrace::prove
