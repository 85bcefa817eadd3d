#include "scan/frontend/ignored_lines.h"

#include "clang/AST/Attr.h"
#include "clang/Basic/Sanitizers.h"
#include "llvm/ADT/SmallVector.h"

namespace footrace::scan::frontend {

namespace {

constexpr llvm::StringRef marker = "footrace: ignore";

// What follows the marker.
std::string reason_in(llvm::StringRef rest) {
  rest = rest.ltrim();
  std::string reason = rest.consume_front("(") ? rest.take_until([](char c) { return c == ')'; }).str() : "";
  return reason.empty() ? "no reason given" : reason;
}

// Nothing if the line has no marker in a comment.
bool find_reason(llvm::StringRef line, std::string& reason) {
  std::size_t comment = line.find("//"), at = line.find(marker);
  if (comment == llvm::StringRef::npos || at == llvm::StringRef::npos || at < comment) return false;
  reason = reason_in(line.substr(at + marker.size()));
  return true;
}

} // namespace

const IgnoredLines::Lines& IgnoredLines::lines_of(clang::FileID file) {
  auto [entry, added] = files_.try_emplace(file);
  if (!added) return entry->second;
  llvm::StringRef text = sources_.getBufferData(file);
  if (!text.contains(marker)) return entry->second;
  llvm::SmallVector<llvm::StringRef, 0> lines;
  text.split(lines, '\n');
  std::string reason;
  for (unsigned i = 0; i < lines.size(); ++i) {
    if (!find_reason(lines[i], reason)) continue;
    entry->second[i + 1] = reason;
    if (lines[i].ltrim().starts_with("//")) entry->second[i + 2] = reason;
  }
  return entry->second;
}

std::string IgnoredLines::reason_of(const clang::NamedDecl& declared) {
  if (llvm::StringRef said = reason(declared.getLocation()); !said.empty()) return said.str();
  for (const auto* annotation : declared.specific_attrs<clang::AnnotateAttr>())
    if (llvm::StringRef text = annotation->getAnnotation(); text.consume_front("footrace::ignore"))
      return reason_in(text);
  for (const auto* attribute : declared.specific_attrs<clang::NoSanitizeAttr>())
    if (attribute->getMask() & clang::SanitizerKind::Thread) return "no_sanitize(\"thread\")";
  return "";
}

llvm::StringRef IgnoredLines::reason(clang::SourceLocation at) {
  clang::SourceLocation place = sources_.getFileLoc(at);
  if (place.isInvalid()) return "";
  auto [file, offset] = sources_.getDecomposedLoc(place);
  const Lines& lines = lines_of(file);
  if (lines.empty()) return "";
  auto found = lines.find(sources_.getLineNumber(file, offset));
  return found == lines.end() ? llvm::StringRef() : llvm::StringRef(found->second);
}

} // namespace footrace::scan::frontend
