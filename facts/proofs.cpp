// The file is text, one thing per line:
//   footrace-proofs 1
//   file DIGEST PATH
//   function SHAPE NAME [UNIT]
//   LINE:COLUMN r|w          race-free, in the function above
#include "facts/proofs.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/BinaryFormat/Dwarf.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace footrace {
namespace {

constexpr StringLiteral header = "footrace-proofs 1";
constexpr StringLiteral mark = "footrace.race-free"; // on an instruction: "r", "w" or "rw"

std::string absolute_path(const DIFile& file) {
  SmallString<128> path = file.getFilename();
  if (!sys::path::is_absolute(path)) {
    SmallString<128> in = file.getDirectory();
    sys::path::append(in, path);
    path = in;
  }
  sys::path::remove_dots(path, /*remove_dot_dot=*/true);
  return path.str().str();
}

bool is_own(const Value& pointer) { return isa<AllocaInst>(getUnderlyingObject(&pointer)); }

// One line of the shape. What the function does to its own variables, such as flags for cleaning up, is no part of it.
class ShapeLine {
public:
  explicit ShapeLine(const Instruction& inst) {
    words_.push_back(inst.getOpcode());
    if (const DebugLoc& at = inst.getDebugLoc()) words_.append({at.getLine(), at.getCol()});
    for (const Value* operand : inst.operand_values())
      if (const auto* number = dyn_cast<ConstantInt>(operand))
        words_.push_back(number->getValue().getLimitedValue());
  }

  void add(uint64_t word) { words_.push_back(word); }
  void add(StringRef text) { words_.push_back(xxh3_64bits(text)); }

  uint64_t digest() const {
    return xxh3_64bits(
        ArrayRef(reinterpret_cast<const uint8_t*>(words_.data()), words_.size() * sizeof(uint64_t)));
  }

private:
  SmallVector<uint64_t, 8> words_;
};

std::optional<uint64_t> line_of_call(const CallBase& call) {
  const Function* callee = call.getCalledFunction();
  const bool is_intrinsic = callee != nullptr && callee->isIntrinsic();
  if (is_intrinsic) {
    const auto* memory = dyn_cast<MemIntrinsic>(&call);
    if (memory == nullptr || is_own(*memory->getRawDest())) return std::nullopt;
  }
  ShapeLine line(call);
  line.add(callee != nullptr ? callee->getName() : "");
  return line.digest();
}

std::optional<uint64_t> line_of(const Instruction& inst) {
  if (const auto* call = dyn_cast<CallBase>(&inst)) return line_of_call(*call);
  const DataLayout& layout = inst.getModule()->getDataLayout();
  if (const Value* pointer = getLoadStorePointerOperand(&inst)) {
    if (is_own(*pointer)) return std::nullopt;
    ShapeLine line(inst);
    line.add(layout.getTypeStoreSize(getLoadStoreType(&inst)).getKnownMinValue());
    line.add(inst.isAtomic());
    return line.digest();
  }
  if (isa<AtomicRMWInst, AtomicCmpXchgInst, FenceInst, CmpInst, BinaryOperator, GetElementPtrInst>(inst))
    return ShapeLine(inst).digest();
  return std::nullopt;
}

Error damaged(const std::string& file, unsigned line, StringRef why) {
  return createStringError(file + ":" + std::to_string(line) + ": " + why);
}

bool read_number(StringRef text, unsigned radix, uint64_t& number) {
  return !text.getAsInteger(radix, number);
}

// LINE:COLUMN r|w
bool read_access(StringRef text, SourceAccess& access) {
  auto [place, kind] = text.split(' ');
  auto [line, column] = place.split(':');
  uint64_t numbers[2] = {};
  if (!read_number(line, 10, numbers[0]) || !read_number(column, 10, numbers[1])) return false;
  if (kind != "r" && kind != "w") return false;
  access = {static_cast<unsigned>(numbers[0]), static_cast<unsigned>(numbers[1]), kind == "w"};
  return true;
}

// False if the line is none that we write.
bool read_line(StringRef text, Proofs& proofs) {
  uint64_t number = 0;
  if (text.consume_front("file ")) {
    auto [digest, path] = text.split(' ');
    if (!read_number(digest, 16, number) || path.empty()) return false;
    proofs.files.push_back({path.str(), number});
    return true;
  }
  if (text.consume_front("function ")) {
    auto [shape, rest] = text.split(' ');
    auto [name, unit] = rest.split(' ');
    if (!read_number(shape, 16, number) || name.empty()) return false;
    proofs.functions.push_back({unit.str(), name.str(), number, {}});
    return true;
  }
  SourceAccess access;
  if (proofs.functions.empty() || !read_access(text, access)) return false;
  proofs.functions.back().race_free.insert(access);
  return true;
}

} // namespace

std::string write_proofs(const Proofs& proofs) {
  std::string text = header.str() + "\n";
  for (const SourceDigest& source : proofs.files)
    text += "file " + utohexstr(source.digest, true, 16) + " " + source.file + "\n";
  for (const FunctionProof& function : proofs.functions) {
    text += "function " + utohexstr(function.shape, true, 16) + " " + function.name;
    text += (function.unit.empty() ? "" : " ") + function.unit + "\n";
    for (const SourceAccess& access : function.race_free)
      text += std::to_string(access.line) + ":" + std::to_string(access.column) +
              (access.is_write ? " w\n" : " r\n");
  }
  return text;
}

Expected<Proofs> read_proofs(const std::string& file) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = MemoryBuffer::getFile(file, /*IsText=*/true);
  if (!buffer)
    return createStringError("cannot read the proofs in '" + file + "': " + buffer.getError().message());
  auto [first, rest] = (*buffer)->getBuffer().split('\n');
  if (first != header) return createStringError("'" + file + "' holds no proofs of this version of footrace");
  Proofs proofs;
  for (unsigned line = 2; !rest.empty(); line++) {
    auto [text, more] = rest.split('\n');
    rest = more;
    if (!read_line(text, proofs))
      return damaged(file, line, "not a line of a file of proofs: '" + text.str() + "'");
  }
  return proofs;
}

std::uint64_t digest_of_file(const std::string& file) {
  ErrorOr<std::unique_ptr<MemoryBuffer>> buffer = MemoryBuffer::getFile(file);
  return buffer ? xxh3_64bits((*buffer)->getBuffer()) : 0;
}

std::vector<SourceAccess> source_accesses(const Instruction& inst) {
  const DebugLoc& at = inst.getDebugLoc();
  if (!at || at.getLine() == 0 || at.getCol() == 0 || inst.isAtomic()) return {};
  if (isa<LoadInst>(inst)) return {{at.getLine(), at.getCol(), false}};
  if (isa<StoreInst>(inst)) return {{at.getLine(), at.getCol(), true}};
  if (isa<MemTransferInst>(inst))
    return {{at.getLine(), at.getCol(), false}, {at.getLine(), at.getCol(), true}};
  if (isa<MemSetInst>(inst)) return {{at.getLine(), at.getCol(), true}};
  return {};
}

unsigned mark_race_free(Instruction& inst, const std::set<SourceAccess>& race_free) {
  std::string kinds;
  for (const SourceAccess& access : source_accesses(inst))
    if (race_free.contains(access)) kinds += access.is_write ? "w" : "r";
  if (kinds.empty()) return 0;
  LLVMContext& context = inst.getContext();
  inst.setMetadata(mark, MDNode::get(context, MDString::get(context, kinds)));
  return static_cast<unsigned>(kinds.size());
}

bool has_race_free_mark(const Instruction& inst, bool is_write) {
  const MDNode* node = inst.getMetadata(mark);
  return node != nullptr && cast<MDString>(node->getOperand(0))->getString().contains(is_write ? "w" : "r");
}

std::uint64_t shape_of(const Function& function) {
  std::uint64_t sum = 0; // clean-ups are laid out in another order without optimisation
  for (const Instruction& inst : instructions(function)) sum += line_of(inst).value_or(0);
  return sum;
}

std::string unit_of(const Function& function) {
  const DISubprogram* subprogram = function.getSubprogram();
  if (subprogram == nullptr || subprogram->getUnit() == nullptr) return "";
  return absolute_path(*subprogram->getUnit()->getFile());
}

std::set<std::string> source_files(const Module& module) {
  std::set<std::string> files;
  DebugInfoFinder finder;
  finder.processModule(module);
  for (const DICompileUnit* unit : finder.compile_units()) files.insert(absolute_path(*unit->getFile()));
  for (const DISubprogram* subprogram : finder.subprograms())
    if (subprogram->getFile() != nullptr) files.insert(absolute_path(*subprogram->getFile()));
  return files;
}

} // namespace footrace
