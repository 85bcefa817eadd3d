#include "prove/formats.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"

namespace footrace::prove {
namespace {

bool stores(llvm::StringRef format) {
  for (std::size_t at = format.find('%'); at != llvm::StringRef::npos; at = format.find('%', at + 1)) {
    at = format.find_first_not_of("-+ #'0123456789.*hljztLq$", at + 1);
    if (at == llvm::StringRef::npos) return false;
    if (format[at] == 'n') return true;
  }
  return false;
}

bool is_storing_string(const llvm::GlobalVariable& variable) {
  if (!variable.hasInitializer()) return false;
  const auto* bytes = llvm::dyn_cast<llvm::ConstantDataArray>(variable.getInitializer());
  return bytes && bytes->isString() && stores(bytes->getAsString());
}

} // namespace

bool has_storing_format(const llvm::Module& module) {
  return llvm::any_of(module.globals(), is_storing_string);
}

bool may_store_arguments(const llvm::CallBase& call) {
  unsigned fixed = call.getFunctionType()->getNumParams();
  if (!call.getFunctionType()->isVarArg() || fixed == 0) return false;
  llvm::StringRef format;
  if (llvm::getConstantStringInfo(call.getArgOperand(fixed - 1), format)) return stores(format);
  return has_storing_format(*call.getModule());
}

} // namespace footrace::prove
