#include "scan/units/embedded.h"

#include "llvm/BinaryFormat/Magic.h"
#include "llvm/ObjCopy/CommonConfig.h"
#include "llvm/ObjCopy/ELF/ELFConfig.h"
#include "llvm/ObjCopy/ELF/ELFObjcopy.h"
#include "llvm/Object/Archive.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

namespace footrace::scan::units {
namespace {

constexpr llvm::StringLiteral kSection = ".footrace.scan";
constexpr llvm::StringLiteral kFirstLine = "footrace scan unit ";

ReadResult failed(const std::string& name, const std::string& why) { return {{}, "'" + name + "' " + why}; }

class Reader {
public:
  explicit Reader(std::vector<ReadResult>& results) : results_(results) {}

  void file(llvm::MemoryBufferRef buffer, const std::string& name) {
    switch (llvm::identify_magic(buffer.getBuffer())) {
    case llvm::file_magic::archive:
      return archive(buffer, name);
    case llvm::file_magic::elf:
    case llvm::file_magic::elf_relocatable:
    case llvm::file_magic::elf_executable:
    case llvm::file_magic::elf_shared_object:
      return object(buffer, name);
    default:
      results_.push_back(parse_unit(buffer.getBuffer(), name));
    }
  }

private:
  void archive(llvm::MemoryBufferRef buffer, const std::string& name) {
    auto found = llvm::object::Archive::create(buffer);
    if (!found) return damaged(name, found.takeError());
    llvm::Error error = llvm::Error::success();
    for (const llvm::object::Archive::Child& child : (*found)->children(error)) {
      auto content = child.getMemoryBufferRef();
      if (!content) {
        damaged(name, content.takeError());
        continue;
      }
      file(*content, name + "(" + llvm::sys::path::filename(content->getBufferIdentifier()).str() + ")");
    }
    if (error) damaged(name, std::move(error));
  }

  void object(llvm::MemoryBufferRef buffer, const std::string& name) {
    auto found = llvm::object::ObjectFile::createELFObjectFile(buffer);
    if (!found) return damaged(name, found.takeError());
    for (const llvm::object::SectionRef& section : (*found)->sections()) {
      llvm::Expected<llvm::StringRef> section_name = section.getName();
      if (!section_name) return damaged(name, section_name.takeError());
      if (*section_name != kSection) continue;
      llvm::Expected<llvm::StringRef> content = section.getContents();
      if (!content) return damaged(name, content.takeError());
      return several(*content, name);
    }
    results_.push_back(
        failed(name, "has no scan summary in it; compile it with 'footrace c++ --embed-summary'"));
  }

  // One after the other: that is how a linker joins sections of one name.
  void several(llvm::StringRef text, const std::string& name) {
    while (!text.empty()) {
      size_t next = text.find(("\n" + kFirstLine).str());
      next = next == llvm::StringRef::npos ? text.size() : next + 1;
      results_.push_back(parse_unit(text.take_front(next), name));
      text = text.drop_front(next);
    }
  }

  void damaged(const std::string& name, llvm::Error error) {
    results_.push_back(failed(name, "cannot be read: " + llvm::toString(std::move(error))));
  }

  std::vector<ReadResult>& results_;
};

std::string message(const std::string& file, llvm::Error error) {
  return "cannot put the summary into '" + file + "': " + llvm::toString(std::move(error));
}

} // namespace

std::string embed(const std::string& object_file, const std::string& unit_text) {
  auto buffer = llvm::MemoryBuffer::getFile(object_file, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer) return message(object_file, llvm::errorCodeToError(buffer.getError()));
  auto object = llvm::object::ObjectFile::createELFObjectFile(**buffer);
  if (!object) {
    llvm::consumeError(object.takeError());
    return "'" + object_file +
           "' is not an ELF object file (-flto?), and cannot hold a summary; write it with 'footrace scan "
           "--unit'";
  }
  llvm::objcopy::CommonConfig config;
  config.InputFilename = config.OutputFilename = object_file;
  config.AddSection.push_back({kSection, llvm::MemoryBuffer::getMemBufferCopy(unit_text)});
  constexpr auto flags = static_cast<llvm::objcopy::SectionFlag>(int(llvm::objcopy::SecExclude) |
                                                                 int(llvm::objcopy::SecReadonly));
  config.SetSectionFlags[kSection] = {kSection, flags};
  if (llvm::Error error = config.ToRemove.addMatcher(llvm::objcopy::NameOrPattern::create(
          kSection, llvm::objcopy::MatchStyle::Literal, [](llvm::Error e) { return e; })))
    return message(object_file, std::move(error));
  llvm::Error error = llvm::writeToOutput(object_file, [&](llvm::raw_ostream& out) {
    return llvm::objcopy::elf::executeObjcopyOnBinary(
        config, llvm::objcopy::ELFConfig(), llvm::cast<llvm::object::ELFObjectFileBase>(**object), out);
  });
  return error ? message(object_file, std::move(error)) : "";
}

std::vector<ReadResult> read_units(const std::string& file) {
  std::vector<ReadResult> results;
  auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer) return {{{}, "cannot read '" + file + "': " + buffer.getError().message()}};
  Reader(results).file((*buffer)->getMemBufferRef(), file);
  return results;
}

} // namespace footrace::scan::units
