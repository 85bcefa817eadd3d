// The file is text: a line that names the format, one line per fact, the program in the text form of the IL, and a last line
// with a digest of all before it, so that half a file is never taken for a whole one.
#include "scan/units/unit.h"

#include "scan/il/text.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/xxhash.h"

#include <charconv>

namespace footrace::scan::units {
namespace {

// Raised when the format or the meaning of what is lowered changes.
constexpr llvm::StringLiteral kMagic = "footrace scan unit 10";

std::string hex(std::uint64_t value) { return llvm::utohexstr(value, /*LowerCase=*/true, 16); }

std::string one_line(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  return text;
}

ReadResult damaged(const std::string& file, const std::string& why) {
  return {{},
          "'" + file + "' is not a usable scan unit (" + why +
              "); make it again with 'footrace scan --unit'"};
}

bool read_hex(llvm::StringRef text, std::uint64_t& value) { return !text.getAsInteger(16, value); }

// One line before the program. False: it makes no sense.
bool read_fact(llvm::StringRef line, Unit& unit) {
  auto [key, rest] = line.split(' ');
  if (key == "source") {
    unit.source = rest.str();
    return true;
  }
  if (key == "command") return read_hex(rest, unit.command);
  if (key == "error") {
    unit.errors.push_back(rest.str());
    return true;
  }
  if (key == "witness") return witness::read_fact(rest, unit.witness);
  if (key != "depends") return false;
  auto [digest, file] = rest.split(' ');
  unit.dependencies.push_back({file.str(), 0});
  return read_hex(digest, unit.dependencies.back().digest);
}

} // namespace

std::uint64_t digest_of(std::string_view text) { return llvm::xxh3_64bits(llvm::StringRef(text)); }

std::optional<std::uint64_t> digest_of_file(const std::string& file) {
  auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer) return std::nullopt;
  return digest_of((*buffer)->getBuffer());
}

std::string write_unit(const Unit& unit) {
  std::string text = kMagic.str() + "\nsource " + unit.source + "\ncommand " + hex(unit.command) + "\n";
  for (const Dependency& d : unit.dependencies) text += "depends " + hex(d.digest) + " " + d.file + "\n";
  for (const std::string& error : unit.errors) text += "error " + one_line(error) + "\n";
  for (const std::string& line : witness::write_facts(unit.witness)) text += "witness " + line + "\n";
  text += "program\n" + il::print(unit.program);
  if (text.back() != '\n') text += '\n';
  return text + "end " + hex(digest_of(text)) + "\n";
}

std::string write_depfile(const Unit& unit, const std::string& target) {
  auto escaped = [](llvm::StringRef name) {
    std::string text;
    for (char c : name) {
      if (c == ' ' || c == '#') text += '\\';
      if (c == '$') text += '$';
      text += c;
    }
    return text;
  };
  std::string text = escaped(target) + ":";
  for (const Dependency& d : unit.dependencies) text += " \\\n  " + escaped(d.file);
  text += "\n";
  // A header that is gone is no reason to stop: make then knows a rule for it, which does nothing.
  for (const Dependency& d : unit.dependencies)
    if (d.file != unit.source) text += escaped(d.file) + ":\n";
  return text;
}

ReadResult parse_unit(std::string_view whole, const std::string& file) {
  llvm::StringRef text(whole);
  if (!text.consume_front(kMagic) || !text.consume_front("\n")) {
    if (text.starts_with("footrace scan unit")) return damaged(file, "it is of another version");
    return damaged(file, "it does not begin with '" + kMagic.str() + "'");
  }
  llvm::StringRef body = llvm::StringRef(whole).rtrim('\n');
  const size_t last = body.rfind('\n');
  llvm::StringRef end = body.substr(last + 1);
  std::uint64_t digest = 0;
  if (last == llvm::StringRef::npos || !end.consume_front("end ") || !read_hex(end, digest) ||
      digest != digest_of(whole.substr(0, last + 1)))
    return damaged(file, "it is incomplete or was changed");

  Unit unit;
  text = text.drop_back(whole.size() - (last + 1));
  while (true) {
    auto [line, rest] = text.split('\n');
    text = rest;
    if (line == "program") break;
    if (!read_fact(line, unit)) return damaged(file, "it has the unknown line '" + line.str() + "'");
  }
  il::ParseResult parsed = il::parse(text, file);
  if (!parsed.error.empty()) return damaged(file, parsed.error);
  unit.program = std::move(parsed.program);
  return {std::move(unit), ""};
}

ReadResult read_unit(const std::string& file) {
  auto buffer = llvm::MemoryBuffer::getFile(file, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer) return {{}, "cannot read '" + file + "': " + buffer.getError().message()};
  return parse_unit((*buffer)->getBuffer(), file);
}

} // namespace footrace::scan::units
