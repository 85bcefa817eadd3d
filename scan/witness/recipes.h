// Types -> C++ expressions that make a value of them: numbers, strings, objects whose public constructors (or static functions that
// return one) take what can be made in turn, and smart pointers to them. Numbers are `footrace_number`, which the program chooses:
// conditions are free in the paper (A6), so a witness has to try several.
#pragma once

#include "scan/witness/facts.h"

#include "clang/AST/ASTContext.h"
#include "clang/AST/DeclCXX.h"

namespace footrace::scan::witness {

class Recipes {
public:
  explicit Recipes(const clang::ASTContext& context);

  // A value that can be passed to a parameter of the type.
  Expression argument(clang::QualType type);
  // An expression of type T*: the object is never deleted, it is made for a witness.
  Expression object(const clang::CXXRecordDecl& record);

  std::string spelled(clang::QualType type) const;

private:
  Expression value(clang::QualType type);
  Expression c_value(clang::QualType type);
  Expression pointer(clang::QualType pointee);
  Expression function(const clang::FunctionProtoType& signature);
  Expression library_value(const clang::CXXRecordDecl& record, clang::QualType type, bool& known);
  Expression constructed(const clang::CXXRecordDecl& record, const std::string& type);
  Expression from_factory(const clang::CXXRecordDecl& record, const std::string& type);
  // "a, b": the parameters without a default.
  Expression arguments(const clang::FunctionDecl& function);

  const clang::ASTContext& context_;
  clang::PrintingPolicy policy_;
  unsigned depth_ = 0; // constructors that take objects that take objects
};

} // namespace footrace::scan::witness
