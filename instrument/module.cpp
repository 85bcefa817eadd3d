#include "instrument/module.h"

#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace footrace {
namespace {

// Before every constructor and after every destructor of the program.
constexpr int priority = 1;

// Defined by the linker around the section; weak, because the linker may have dropped every record.
GlobalVariable* section_bound(Module& module, StringRef name) {
  if (auto* known = module.getNamedGlobal(name)) return known;
  auto* bound = new GlobalVariable(module, Type::getInt8Ty(module.getContext()), /*isConstant=*/true,
                                   GlobalValue::ExternalWeakLinkage, nullptr, name);
  bound->setVisibility(GlobalValue::HiddenVisibility);
  return bound;
}

// An empty function that exists once per linked module, and the builder to fill it.
Function* make_once(Module& module, StringRef name) {
  LLVMContext& context = module.getContext();
  auto* type = FunctionType::get(Type::getVoidTy(context), /*isVarArg=*/false);
  // Not through Function::Create alone: the code must have the frame pointers and unwind tables of its
  // module.
  Function* function = Function::createWithDefaultAttr(
      type, GlobalValue::LinkOnceODRLinkage, module.getDataLayout().getProgramAddressSpace(), name, &module);
  function->setVisibility(GlobalValue::HiddenVisibility);
  function->setComdat(module.getOrInsertComdat(name));
  function->addFnAttr(Attribute::NoUnwind);
  function->addFnAttr(Attribute::DisableSanitizerInstrumentation);
  ReturnInst::Create(context, BasicBlock::Create(context, "", function));
  return function;
}

constexpr const char* claim = "footrace"; // name of the module's flag

const Attribute::AttrKind memory_attributes[] = {Attribute::Memory, Attribute::NoSync,
                                                 Attribute::Speculatable};

} // namespace

bool has_claim(const Module& module) { return module.getModuleFlag(claim) != nullptr; }

bool claim_module(Module& module) {
  if (has_claim(module)) return false;
  module.addModuleFlag(Module::Max, claim, 1);
  return true;
}

// Objects that want different features each keep their own pair; those of one kind share it.
static std::string name_for(StringRef what, uint32_t features) {
  return ("__footrace_module_" + what + (features != 0 ? "." + Twine(features) : "")).str();
}

void emit_registration(Module& module, Callbacks& callbacks, SiteStrings& strings, SiteLinkage linkage,
                       uint32_t features) {
  Value* begin = section_bound(module, "__start_" FOOTRACE_SITE_SECTION);
  Value* end = section_bound(module, "__stop_" FOOTRACE_SITE_SECTION);

  Function* constructor = make_once(module, name_for("ctor", features));
  IRBuilder<> at(constructor->getEntryBlock().getTerminator());
  callbacks.call(at, Callback::__footrace_register_module, {begin, end, constructor, at.getInt32(features)});
  appendToGlobalCtors(module, constructor, priority, constructor);

  Function* destructor = make_once(module, name_for("dtor", features));
  at.SetInsertPoint(destructor->getEntryBlock().getTerminator());
  callbacks.call(at, Callback::__footrace_unregister_module, {begin});
  appendToGlobalDtors(module, destructor, priority, destructor);

  // A module without checks still has a section, and so a bound that the destructor can name it by.
  SiteTable sites(*constructor, strings);
  sites.add_function_record();
  sites.emit(linkage);
}

void drop_memory_attributes(Function& function) {
  for (const Attribute::AttrKind kind : memory_attributes) function.removeFnAttr(kind);
}

void drop_memory_attributes_of_callees(Function& caller, const TargetLibraryInfo& library) {
  for (Instruction& inst : instructions(caller)) {
    auto* call = dyn_cast<CallBase>(&inst);
    if (call == nullptr || isa<IntrinsicInst>(call) || call->isInlineAsm()) continue;
    Function* callee = call->getCalledFunction();
    LibFunc known;
    if (callee != nullptr && callee->isDeclaration() && library.getLibFunc(*callee, known)) continue;
    for (const Attribute::AttrKind kind : memory_attributes) call->removeFnAttr(kind);
    if (callee != nullptr && callee->isDeclaration()) drop_memory_attributes(*callee);
  }
}

} // namespace footrace
