#include "facts/embedded_ir.h"

#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

#include <cstring>

using namespace llvm;

namespace footrace {
namespace {

constexpr StringLiteral magic = "FRmodule";
constexpr size_t alignment = 8, header_size = 16; // the magic, and the size of the bitcode

} // namespace

void embed_ir(Module& module) {
  std::string bitcode;
  raw_string_ostream out(bitcode);
  WriteBitcodeToFile(module, out);
  const uint64_t size = bitcode.size();
  std::string contents = magic.str();
  contents.append(reinterpret_cast<const char*>(&size), sizeof size);
  contents += bitcode;
  Constant* bytes = ConstantDataArray::getString(module.getContext(), contents, /*AddNull=*/false);
  auto* variable = new GlobalVariable(module, bytes->getType(), /*isConstant=*/true,
                                      GlobalValue::PrivateLinkage, bytes, "__footrace_ir");
  variable->setSection(embedded_ir_section);
  variable->setAlignment(Align(alignment));
  appendToUsed(module, {variable});
}

std::vector<StringRef> embedded_modules(StringRef section) {
  std::vector<StringRef> modules;
  size_t at = 0;
  while ((at = section.find(magic, at)) != StringRef::npos && at + header_size <= section.size()) {
    uint64_t size = 0;
    std::memcpy(&size, section.data() + at + magic.size(), sizeof size);
    const bool is_whole = at % alignment == 0 && size <= section.size() - at - header_size;
    if (is_whole) modules.push_back(section.substr(at + header_size, size));
    at += is_whole ? header_size + size : 1;
  }
  return modules;
}

} // namespace footrace
