// footrace-scan-unit OUTPUT FOLDER SOURCE DIGEST RESOURCE-FOLDER ARGUMENTS...: reads one translation unit with clang and writes
// its unit file. A program of its own: it alone needs clang's libraries, and a crash costs one unit.
// Exit codes: 0 written (also with errors in the source: they are in the unit), 1 nothing could be written.
#include "scan/frontend/lower.h"
#include "scan/units/unit.h"
#include "scan/witness/collect.h"

#include "clang/Basic/DiagnosticOptions.h"
#include "clang/Frontend/CompilerInstance.h"
#include "clang/Frontend/FrontendAction.h"
#include "clang/Frontend/Utils.h"
#include "clang/Tooling/ArgumentsAdjusters.h"
#include "clang/Tooling/Tooling.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/VirtualFileSystem.h"
#include "llvm/Support/raw_ostream.h"

#include <filesystem>

namespace fs = std::filesystem;

namespace footrace::scan::units {
namespace {

struct AllHeaders : clang::DependencyCollector {
  bool needSystemDependencies() override { return true; }
};

class Lowering : public clang::ASTConsumer {
public:
  explicit Lowering(Unit& unit) : unit_(unit) {}
  void HandleTranslationUnit(clang::ASTContext& context) override {
    unit_.program = frontend::lower(context);
    unit_.witness = witness::collect(context, unit_.program);
  }

private:
  Unit& unit_;
};

class UnitAction : public clang::ASTFrontendAction {
public:
  UnitAction(Unit& unit, std::string folder)
      : unit_(unit), folder_(std::move(folder)), headers_(std::make_shared<AllHeaders>()) {}

protected:
  bool BeginInvocation(clang::CompilerInstance& compiler) override {
    compiler.addDependencyCollector(headers_);
    // After a fatal error (a header that is missing) clang no longer instantiates templates: guards would be unknown types.
    compiler.getDiagnostics().setFatalsAsError(true);
    return true;
  }
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance&, llvm::StringRef) override {
    return std::make_unique<Lowering>(unit_);
  }
  void EndSourceFileAction() override {
    for (const std::string& name : headers_->getDependencies()) {
      // Names that build systems understand: clang finds system headers by way of "..", across links.
      std::error_code error;
      const std::string file = fs::canonical(fs::path(folder_) / name, error);
      if (error) continue; // built into clang
      if (auto digest = digest_of_file(file)) unit_.dependencies.push_back({file, *digest});
    }
  }

private:
  Unit& unit_;
  std::string folder_;
  std::shared_ptr<AllHeaders> headers_;
};

// "file:line:column: what", as the compiler would print it.
class Errors : public clang::DiagnosticConsumer {
public:
  explicit Errors(Unit& unit) : unit_(unit) {}
  void HandleDiagnostic(clang::DiagnosticsEngine::Level level, const clang::Diagnostic& info) override {
    DiagnosticConsumer::HandleDiagnostic(level, info);
    if (level < clang::DiagnosticsEngine::Error) return;
    llvm::SmallString<128> text;
    info.FormatDiagnostic(text);
    std::string where;
    if (info.hasSourceManager() && info.getLocation().isValid())
      where = info.getLocation().printToString(info.getSourceManager()) + ": ";
    unit_.errors.push_back(where + text.str().str());
  }

private:
  Unit& unit_;
};

// What the build does with the output is not our business, and other people's plugins are not either.
std::vector<std::string> for_reading_only(std::vector<std::string> arguments, const std::string& resources) {
  using namespace clang::tooling;
  ArgumentsAdjuster adjust =
      combineAdjusters(combineAdjusters(getClangStripOutputAdjuster(), getClangStripDependencyFileAdjuster()),
                       combineAdjusters(getStripPluginsAdjuster(), getClangSyntaxOnlyAdjuster()));
  arguments = adjust(arguments, "");
  // Warnings are the compiler's to give; unknown flags are another compiler's.
  for (const char* flag :
       {"-w", "-Wno-error", "-ferror-limit=0", "-Qunused-arguments", "-fno-caret-diagnostics"})
    arguments.push_back(flag);
  arguments.push_back("-resource-dir=" + resources);
  return arguments;
}

int write_file(const std::string& file, const std::string& text) {
  // Beside the output and then renamed: another process never sees half of it.
  if (llvm::Error error = llvm::writeToOutput(file, [&](llvm::raw_ostream& out) {
        out << text;
        return llvm::Error::success();
      })) {
    llvm::errs() << "footrace: cannot write '" << file << "': " << llvm::toString(std::move(error)) << '\n';
    return 1;
  }
  return 0;
}

int run(int argc, char** argv) {
  if (argc < 7) {
    llvm::errs() << "footrace: footrace-scan-unit is a part of 'footrace scan --unit'; use that\n";
    return 2;
  }
  const std::string output = argv[1], folder = argv[2], source = argv[3], resources = argv[5];
  Unit unit;
  unit.source = source;
  llvm::StringRef(argv[4]).getAsInteger(16, unit.command);

  if (std::error_code error = llvm::sys::fs::set_current_path(folder)) {
    llvm::errs() << "footrace: cannot enter '" << folder << "': " << error.message() << '\n';
    return 1;
  }
  // Counted by reference: the compiler keeps it for as long as it needs it.
  llvm::IntrusiveRefCntPtr<clang::FileManager> files(
      new clang::FileManager({}, llvm::vfs::getRealFileSystem()));
  clang::tooling::ToolInvocation invocation(
      for_reading_only(std::vector<std::string>(argv + 6, argv + argc), resources),
      std::make_unique<UnitAction>(unit, folder), files.get());
  Errors errors(unit);
  invocation.setDiagnosticConsumer(&errors);
  const bool succeeded = invocation.run();
  if (!succeeded && unit.errors.empty()) unit.errors.push_back("clang did not accept its command line");
  if (unit.dependencies.empty())
    if (auto digest = digest_of_file(source)) unit.dependencies.push_back({source, *digest});
  return write_file(output, write_unit(unit));
}

} // namespace
} // namespace footrace::scan::units

int main(int argc, char** argv) { return footrace::scan::units::run(argc, argv); }
