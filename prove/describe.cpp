#include "prove/describe.h"

#include "findings/names.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"

namespace footrace::prove {

findings::SourceLocation location_of(const llvm::DILocation& at) {
  std::string file = at.getFilename().str();
  if (!file.empty() && file.front() != '/' && !at.getDirectory().empty())
    file = at.getDirectory().str() + "/" + file;
  return {findings::readable_path(file), at.getLine(), at.getColumn()};
}

std::string place_of(const llvm::Instruction& inst) {
  const llvm::DILocation* at = inst.getDebugLoc();
  if (!at) return findings::readable_name(inst.getFunction()->getName());
  return std::string(findings::file_name(at->getFilename().str())) + ":" + std::to_string(at->getLine());
}

void append_frames(const llvm::Instruction& inst, findings::Stack& stack) {
  const llvm::DILocation* at = inst.getDebugLoc();
  if (!at) {
    findings::StackFrame frame;
    frame.function = findings::readable_name(inst.getFunction()->getName());
    stack.push_back(frame);
    return;
  }
  for (; at; at = at->getInlinedAt()) {
    findings::StackFrame frame;
    const llvm::DISubprogram* function = at->getScope()->getSubprogram();
    llvm::StringRef linkage =
        function->getLinkageName().empty() ? function->getName() : function->getLinkageName();
    frame.function = findings::readable_name(linkage);
    frame.linkage_name = linkage.str();
    frame.location = location_of(*at);
    frame.inlined = at->getInlinedAt() != nullptr;
    stack.push_back(frame);
  }
}

std::string name_of_object(const Object& object) {
  if (object.kind == ObjectKind::Pool) return "memory of the program (not told apart)";
  if (object.kind == ObjectKind::Verifier) return "__VERIFIER_atomic";
  if (object.site && object.site->hasName() && llvm::isa<llvm::GlobalValue>(object.site))
    return findings::readable_name(object.site->getName());
  const auto* site = llvm::dyn_cast_or_null<llvm::Instruction>(object.site);
  if (!site) return "memory of the library";
  return (object.kind == ObjectKind::Heap ? "memory from " : "local of ") + place_of(*site);
}

std::string name_of_location(const PointsTo& pointers, LocationId id) {
  const Location& location = pointers.memory().at(id);
  std::string name = name_of_object(pointers.memory()[location.object]);
  return location.offset ? name + "+" + std::to_string(location.offset) : name;
}

} // namespace footrace::prove
