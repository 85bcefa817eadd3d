// What a line of source says is accessed: the part of a fingerprint that does not move when lines do. The compiler
// gives a place, and not the same place for all of its analyses: debug information points at the operator of
// `count_ += 1` and at the member of `p->x`, the front end at the beginning of the expression. Both lead to one
// text here: names with their members, without subscripts, spaces and `this`, "account.balance".
// Invariant: depends on the text of the line only, not on where the line or the expression in it is.
#pragma once

#include "findings/finding.h"
#include "findings/source.h"

namespace footrace::findings {

struct SourceUse {
  std::string expression;   // empty: not found
  std::string use;          // what becomes of it: "read", "write", "update" (`+=`, `++`), "call"
  bool by_operator = false; // the column is that of the operator: `use` is about this very access
  unsigned first = 0;       // column at which the text of the expression begins, from 1
  unsigned length = 0;
};

// `column` is counted from 1. `member`: where it is known that this is the member or variable accessed, an expression
// that begins at the column goes on until there.
SourceUse read_use(std::string_view line, unsigned column, std::string_view member = {});

// "Bank::transfer" of "void Bank::transfer<int>(Account&) const": lambdas are not numbered, because a number changes
// with every lambda above.
std::string plain_function(std::string_view function);

// "account.balance" of what an analysis calls "this->account.balance[*]".
std::string plain_path(std::string_view path);

// Fills in expression, use and excerpt of every access whose source can be read, and seals.
void read_source(Finding& finding, SourceLines& source);

} // namespace footrace::findings
