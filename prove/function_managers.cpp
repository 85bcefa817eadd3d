#include "prove/function_managers.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace footrace::prove {
namespace {

constexpr unsigned operation_argument = 2, operation_count = 4; // of libstdc++'s _Manager_operation

bool is_manager(const llvm::Function& function) {
  llvm::StringRef name = function.getName();
  return (name.starts_with("_ZNSt17_Function_handlerI") ||
          name.starts_with("_ZNSt14_Function_base13_Base_managerI")) &&
         name.contains("10_M_managerE") && name.ends_with("St18_Manager_operation") &&
         function.arg_size() == operation_argument + 1;
}

std::string name_of_part(const llvm::Function& manager, std::uint64_t operation) {
  return (manager.getName() + ".operation" + llvm::Twine(operation)).str();
}

} // namespace

void split_managers(llvm::Module& module) {
  llvm::SmallVector<llvm::Function*> managers;
  for (llvm::Function& function : module)
    if (!function.isDeclaration() && is_manager(function)) managers.push_back(&function);
  for (llvm::Function* manager : managers)
    for (unsigned operation = 0; operation < operation_count; operation++) {
      llvm::ValueToValueMapTy values;
      llvm::Function* part = llvm::CloneFunction(manager, values);
      part->setName(name_of_part(*manager, operation));
      part->setLinkage(llvm::GlobalValue::InternalLinkage);
      part->setComdat(nullptr);
      llvm::Argument* number = part->getArg(operation_argument);
      number->replaceAllUsesWith(llvm::ConstantInt::get(number->getType(), operation));
    }
}

const llvm::Function& called_part(const llvm::Function& function, const llvm::CallBase& call) {
  if (call.arg_size() != operation_argument + 1 || !is_manager(function)) return function;
  const auto* number = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(operation_argument));
  const llvm::Function* part =
      number ? function.getParent()->getFunction(name_of_part(function, number->getZExtValue())) : nullptr;
  return part ? *part : function;
}

} // namespace footrace::prove
