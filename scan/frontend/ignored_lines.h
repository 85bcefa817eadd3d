// "// footrace: ignore(reason)" on a line, or alone on the line before it: nothing is reported of what that line does.
#pragma once

#include "clang/Basic/SourceManager.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringRef.h"

#include "clang/AST/Decl.h"

#include <map>
#include <string>

namespace footrace::scan::frontend {

class IgnoredLines {
public:
  explicit IgnoredLines(const clang::SourceManager& sources) : sources_(sources) {}

  // The reason; empty: not ignored.
  llvm::StringRef reason(clang::SourceLocation at);
  // Of a function, class, field or variable: on the line of its name, or by an attribute: annotate("footrace::ignore(reason)"), no_sanitize("thread").
  std::string reason_of(const clang::NamedDecl& declared);

private:
  using Lines = std::map<unsigned, std::string>;
  const Lines& lines_of(clang::FileID file);

  const clang::SourceManager& sources_;
  llvm::DenseMap<clang::FileID, Lines> files_;
};

} // namespace footrace::scan::frontend
