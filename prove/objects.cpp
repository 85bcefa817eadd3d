#include "prove/objects.h"

#include "facts/embedded_ir.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Object/ObjectFile.h"

namespace footrace::prove {
namespace {

using llvm::object::Archive;
using llvm::object::ObjectFile;
using llvm::object::SymbolRef;

llvm::Error error(const llvm::Twine& message) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), message);
}

// Code of the C library's that is linked into every executable: start-up, and what registers handlers for its end.
bool is_startup_code(llvm::StringRef name) {
  static const llvm::StringSet<> names = {"_start",
                                          "_init",
                                          "_fini",
                                          "_dl_relocate_static_pie",
                                          "deregister_tm_clones",
                                          "register_tm_clones",
                                          "__do_global_dtors_aux",
                                          "frame_dummy",
                                          "atexit",
                                          "at_quick_exit",
                                          "pthread_atfork"};
  return names.contains(name);
}

std::set<std::string> functions_of(const ObjectFile& object) {
  std::set<std::string> names;
  for (const llvm::object::ELFSymbolRef symbol : object.symbols()) {
    llvm::Expected<SymbolRef::Type> type = symbol.getType();
    llvm::Expected<std::uint32_t> flags = symbol.getFlags();
    llvm::Expected<llvm::StringRef> name = symbol.getName();
    bool is_defined =
        type && flags && name && *type == SymbolRef::ST_Function && !(*flags & SymbolRef::SF_Undefined);
    if (is_defined) names.insert(name->str());
    llvm::consumeError(type.takeError());
    llvm::consumeError(flags.takeError());
    llvm::consumeError(name.takeError());
  }
  return names;
}

// Optimisers make parts and copies of functions: "f.cold", "f.llvm.123".
bool has_function(const CarriedObject& object, llvm::StringRef name) {
  llvm::StringRef original = name.split('.').first;
  return llvm::any_of(object.modules, [&](const auto& module) {
    return module->getFunction(name) || module->getFunction(original) || module->getNamedAlias(name);
  });
}

void find_code_without_ir(const ObjectFile& file, const std::set<std::string>& known_code,
                          CarriedObject& object) {
  for (const std::string& name : functions_of(file)) {
    llvm::StringRef text = name;
    if (text.starts_with("__footrace_") || text.starts_with("tsan.") || text.starts_with("_GLOBAL__") ||
        is_startup_code(name))
      continue;
    if (!known_code.contains(name) && !has_function(object, name)) object.code_without_ir.push_back(name);
  }
}

llvm::Error read_section(llvm::StringRef contents, llvm::LLVMContext& context, CarriedObject& object) {
  for (llvm::StringRef bitcode : embedded_modules(contents)) {
    llvm::Expected<std::unique_ptr<llvm::Module>> module =
        llvm::parseBitcodeFile({bitcode, "embedded module"}, context);
    if (!module) return module.takeError();
    object.modules.push_back(std::move(*module));
  }
  return llvm::Error::success();
}

} // namespace

bool has_object_format(llvm::StringRef contents) {
  const llvm::file_magic magic = llvm::identify_magic(contents);
  return magic == llvm::file_magic::elf_relocatable || magic == llvm::file_magic::elf_executable ||
         magic == llvm::file_magic::elf_shared_object;
}

bool has_archive_format(llvm::StringRef contents) {
  return llvm::identify_magic(contents) == llvm::file_magic::archive;
}

llvm::Expected<CarriedObject> read_object(llvm::MemoryBufferRef buffer, llvm::LLVMContext& context,
                                          const std::set<std::string>& known_code) {
  llvm::Expected<std::unique_ptr<ObjectFile>> file = ObjectFile::createObjectFile(buffer);
  if (!file) return file.takeError();
  CarriedObject object;
  for (const llvm::object::SectionRef& section : (*file)->sections()) {
    llvm::Expected<llvm::StringRef> name = section.getName();
    if (!name) return name.takeError();
    if (*name != embedded_ir_section) continue;
    llvm::Expected<llvm::StringRef> contents = section.getContents();
    if (!contents) return contents.takeError();
    if (llvm::Error failed = read_section(*contents, context, object)) return failed;
  }
  if (object.modules.empty())
    return error("carries no LLVM module: build it with 'footrace c++ -fprove' (or 'footrace cc -fprove')");
  find_code_without_ir(**file, known_code, object);
  return object;
}

llvm::Expected<std::vector<CarriedObject>> read_archive(llvm::MemoryBufferRef buffer,
                                                        llvm::LLVMContext& context,
                                                        const std::set<std::string>& known_code) {
  llvm::Expected<std::unique_ptr<Archive>> archive = Archive::create(buffer);
  if (!archive) return archive.takeError();
  std::vector<CarriedObject> objects;
  llvm::Error failed = llvm::Error::success();
  for (const Archive::Child& child : (*archive)->children(failed)) {
    llvm::Expected<llvm::MemoryBufferRef> member = child.getMemoryBufferRef();
    if (!member) return member.takeError();
    llvm::Expected<CarriedObject> object = read_object(*member, context, known_code);
    if (!object) {
      llvm::consumeError(std::move(failed));
      return error("member " + member->getBufferIdentifier() + " " + llvm::toString(object.takeError()));
    }
    objects.push_back(std::move(*object));
  }
  if (failed) return failed;
  return objects;
}

llvm::Expected<std::set<std::string>> functions_of_archive(const std::string& file) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> buffer = llvm::MemoryBuffer::getFile(file);
  if (!buffer) return error("cannot read '" + file + "': " + buffer.getError().message());
  llvm::Expected<std::unique_ptr<Archive>> archive = Archive::create(**buffer);
  if (!archive) return archive.takeError();
  std::set<std::string> names;
  llvm::Error failed = llvm::Error::success();
  for (const Archive::Child& child : (*archive)->children(failed)) {
    llvm::Expected<std::unique_ptr<llvm::object::Binary>> member = child.getAsBinary();
    if (!member) {
      llvm::consumeError(std::move(failed));
      return member.takeError();
    }
    if (const auto* object = llvm::dyn_cast<ObjectFile>(member->get())) names.merge(functions_of(*object));
  }
  if (failed) return failed;
  return names;
}

} // namespace footrace::prove
