#include "prove/library_code.h"

#include "prove/formats.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/SourceMgr.h"

namespace footrace::prove {
namespace {

constexpr const char* bodies =
#include "prove/library_code.ll.inc"
    ;

bool is_used(const llvm::Function& body, const llvm::Module& program) {
  const llvm::Function* declared = program.getFunction(body.getName());
  return !body.isDeclaration() && !body.hasLocalLinkage() && declared && declared->isDeclaration();
}

void link_bodies(llvm::Module& module) {
  llvm::SMDiagnostic diagnostic;
  std::unique_ptr<llvm::Module> code = llvm::parseAssemblyString(bodies, diagnostic, module.getContext());
  if (!code) llvm::report_fatal_error(diagnostic.getMessage());
  if (llvm::none_of(*code, [&](const llvm::Function& body) { return is_used(body, module); })) return;
  code->setDataLayout(module.getDataLayout());
  code->setTargetTriple(module.getTargetTriple());
  llvm::Linker::linkModules(module, std::move(code), llvm::Linker::LinkOnlyNeeded);
}

// The C library sets it while there is one thread only. What is done without atomics while it is set is then ordered with everything
// that others do before and after, so the code for several threads stands for both.
void take_several_threads_for_granted(llvm::Module& module) {
  llvm::GlobalVariable* variable = module.getGlobalVariable("__libc_single_threaded");
  if (!variable) return;
  for (llvm::User* user : llvm::make_early_inc_range(variable->users())) {
    auto* load = llvm::dyn_cast<llvm::LoadInst>(user);
    if (!load) continue;
    load->replaceAllUsesWith(llvm::Constant::getNullValue(load->getType()));
    load->eraseFromParent();
  }
  if (variable->use_empty()) variable->eraseFromParent();
}

// Which format it will be is not known: with one of %n, any of them stores through its arguments.
void store_through_arguments(llvm::Module& module) {
  llvm::Function* print = module.getFunction("footrace.print");
  if (!print || !has_storing_format(module)) return;
  llvm::Instruction& argument = print->getEntryBlock().front();
  llvm::IRBuilder<> builder(argument.getNextNode());
  builder.CreateMemSet(&argument, builder.getInt8(0), sizeof(int), llvm::MaybeAlign());
}

} // namespace

void provide_library_code(llvm::Module& module) {
  link_bodies(module);
  store_through_arguments(module);
  take_several_threads_for_granted(module);
}

} // namespace footrace::prove
