#include "driver/tsan_objects.h"

#include "llvm/Object/Archive.h"
#include "llvm/Object/Binary.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Error.h"

namespace footrace::driver {

using namespace llvm::object;

namespace {

// What clang and GCC put into functions. __tsan_init, and the interface for programs (__tsan_acquire, ...), are ours as well.
bool is_instrumentation(llvm::StringRef name) {
  return name == "__tsan_func_entry" || name.starts_with("__tsan_read") || name.starts_with("__tsan_write");
}

template <class Symbols> bool calls_instrumentation(Symbols&& symbols) {
  for (const SymbolRef& symbol : symbols) {
    llvm::Expected<std::uint32_t> flags = symbol.getFlags();
    llvm::Expected<llvm::StringRef> name = symbol.getName();
    bool is_undefined = flags && (*flags & BasicSymbolRef::SF_Undefined);
    bool is_named = name && is_instrumentation(*name);
    if (!flags) llvm::consumeError(flags.takeError());
    if (!name) llvm::consumeError(name.takeError());
    if (is_undefined && is_named) return true;
  }
  return false;
}

bool has_instrumentation(const Binary& binary) {
  const auto* object = llvm::dyn_cast<ObjectFile>(&binary);
  if (!object) return false;
  if (calls_instrumentation(object->symbols())) return true;
  const auto* elf = llvm::dyn_cast<ELFObjectFileBase>(object);
  return elf && calls_instrumentation(elf->getDynamicSymbolIterators());
}

std::string find_in_archive(const Archive& archive, const std::string& path) {
  llvm::Error error = llvm::Error::success();
  std::string found;
  for (const Archive::Child& child : archive.children(error)) {
    llvm::Expected<std::unique_ptr<Binary>> member = child.getAsBinary();
    if (!member) {
      llvm::consumeError(member.takeError());
      continue;
    }
    if (!has_instrumentation(**member)) continue;
    llvm::Expected<llvm::StringRef> name = child.getName();
    found = path + '(' + (name ? name->str() : "?") + ')';
    if (!name) llvm::consumeError(name.takeError());
    break;
  }
  llvm::consumeError(std::move(error));
  return found;
}

} // namespace

std::string find_tsan_object(const std::vector<std::string>& inputs) {
  for (const std::string& path : inputs) {
    llvm::StringRef name = path;
    if (!name.ends_with(".o") && !name.ends_with(".a") && !name.contains(".so")) continue;
    llvm::Expected<OwningBinary<Binary>> file = createBinary(path);
    if (!file) {
      llvm::consumeError(file.takeError());
      continue;
    }
    const Binary& binary = *file->getBinary();
    std::string found;
    if (const auto* archive = llvm::dyn_cast<Archive>(&binary))
      found = find_in_archive(*archive, path);
    else if (has_instrumentation(binary))
      found = path;
    if (!found.empty()) return found;
  }
  return {};
}

} // namespace footrace::driver
