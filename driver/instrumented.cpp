#include "driver/instrumented.h"

#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/MemoryBuffer.h"

namespace footrace::driver {

// The runtime's entry points are exported for shared libraries, so the dynamic symbols have them even after
// strip.
static bool exports_runtime(const llvm::object::ELFObjectFileBase& elf) {
  for (llvm::object::ELFSymbolRef symbol : elf.getDynamicSymbolIterators()) {
    llvm::Expected<llvm::StringRef> name = symbol.getName();
    if (!name) {
      llvm::consumeError(name.takeError());
      continue;
    }
    llvm::Expected<uint32_t> flags = symbol.getFlags();
    if (!flags) {
      llvm::consumeError(flags.takeError());
      continue;
    }
    if (name->starts_with("__footrace_") && !(*flags & llvm::object::SymbolRef::SF_Undefined)) return true;
  }
  return false;
}

ProgramKind program_kind(const std::string& file) {
  auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer) return ProgramKind::Unknown;
  if ((*buffer)->getBuffer().starts_with("#!")) return ProgramKind::Script;
  auto object = llvm::object::ObjectFile::createELFObjectFile((*buffer)->getMemBufferRef());
  if (!object) {
    llvm::consumeError(object.takeError());
    return ProgramKind::Unknown;
  }
  auto* elf = llvm::dyn_cast<llvm::object::ELFObjectFileBase>(object->get());
  return elf && exports_runtime(*elf) ? ProgramKind::Instrumented : ProgramKind::Plain;
}

} // namespace footrace::driver
