#include "scan/units/cache.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

namespace footrace::scan::units {

std::string Cache::file_of(const CompileCommand& command) const {
  return folder_ + "/" + llvm::sys::path::filename(command.source).str() + "." +
         llvm::utohexstr(command.digest(), /*LowerCase=*/true, 16) + ".summary";
}

std::optional<Unit> Cache::find(const CompileCommand& command) {
  ReadResult read = read_unit(file_of(command));
  if (!read.error.empty() || read.unit.command != command.digest()) return std::nullopt;
  if (!llvm::all_of(read.unit.dependencies, [&](const Dependency& d) { return is_unchanged(d); }))
    return std::nullopt;
  return std::move(read.unit);
}

bool Cache::is_unchanged(const Dependency& dependency) {
  auto [at, fresh] = digests_.try_emplace(dependency.file);
  if (fresh) at->second = digest_of_file(dependency.file);
  return at->second == dependency.digest;
}

} // namespace footrace::scan::units
