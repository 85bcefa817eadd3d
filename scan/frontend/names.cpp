#include "scan/frontend/names.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclTemplate.h"
#include "clang/Index/USRGeneration.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/raw_ostream.h"

namespace footrace::scan::frontend {

il::Name unique_name(const clang::Decl& decl) {
  llvm::SmallString<128> usr;
  // Declarations without a name of their own are told apart by their place.
  if (clang::index::generateUSRForDecl(&decl, usr) || usr.empty()) {
    const clang::SourceManager& sources = decl.getASTContext().getSourceManager();
    return decl.getLocation().printToString(sources);
  }
  // There may be several programs in one project, with a main function each.
  if (const auto* function = clang::dyn_cast<clang::FunctionDecl>(&decl); function && function->isMain())
    return std::string(usr) + "@" +
           location_of(decl.getLocation(), decl.getASTContext().getSourceManager()).file.text();
  return std::string_view(usr.data(), usr.size());
}

il::Name shown_name(const clang::NamedDecl& decl) {
  std::string text;
  llvm::raw_string_ostream out(text);
  clang::PrintingPolicy policy(decl.getASTContext().getLangOpts());
  policy.SuppressUnwrittenScope = true;
  policy.SuppressInlineNamespace =
      llvm::to_underlying(clang::PrintingPolicy::SuppressInlineNamespaceMode::All);
  decl.getNameForDiagnostic(out, policy, true);
  return out.str();
}

il::Name class_name(const clang::RecordDecl& record) { return unique_name(*record.getCanonicalDecl()); }

il::Name field_name(const clang::FieldDecl& field) {
  const auto* record = clang::dyn_cast<clang::CXXRecordDecl>(field.getParent());
  bool derived = record && record->hasDefinition() && record->getNumBases() > 0;
  return derived ? shown_name(*record).text() + "::" + field.getNameAsString() : field.getNameAsString();
}

il::Location location_of(clang::SourceLocation at, const clang::SourceManager& sources) {
  clang::PresumedLoc place = sources.getPresumedLoc(sources.getFileLoc(at));
  if (place.isInvalid()) return {};
  return {place.getFilename(), place.getLine(), place.getColumn()};
}

std::string plain_name(const clang::NamedDecl& decl) {
  std::string name;
  llvm::raw_string_ostream out(name);
  clang::PrintingPolicy policy(decl.getASTContext().getLangOpts());
  policy.SuppressUnwrittenScope = true;
  policy.SuppressInlineNamespace =
      llvm::to_underlying(clang::PrintingPolicy::SuppressInlineNamespaceMode::All);
  policy.SuppressTemplateArgsInCXXConstructors = true;
  decl.printQualifiedName(out, policy);
  return name;
}

} // namespace footrace::scan::frontend
