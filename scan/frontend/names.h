// Names and places of declarations.
#pragma once

#include "scan/il/il.h"

#include "clang/AST/Decl.h"
#include "clang/AST/DeclCXX.h"
#include "clang/Basic/SourceManager.h"

#include <string>

namespace footrace::scan::frontend {

// Equal for one declaration in every translation unit.
il::Name unique_name(const clang::Decl& decl);
// "Class::method", "(anonymous namespace)" left out.
il::Name shown_name(const clang::NamedDecl& decl);
il::Name class_name(const clang::RecordDecl& record);
// Of a field, with its class if that derives from another: classes of one hierarchy may use one name.
il::Name field_name(const clang::FieldDecl& field);
// Where the user wrote it: macros are followed to where they are used.
il::Location location_of(clang::SourceLocation at, const clang::SourceManager& sources);
// Qualified, with inline namespaces and template arguments left out: "std::vector".
std::string plain_name(const clang::NamedDecl& decl);

} // namespace footrace::scan::frontend
