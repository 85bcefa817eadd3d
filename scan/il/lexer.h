// Tokens of the text form of the intermediate language.
#pragma once

#include <string>
#include <string_view>

namespace footrace::scan::il {

struct Token {
  enum class Kind { End, Word, Quoted, Number, Symbol } kind = Kind::End;
  std::string text;
  unsigned line = 0;
  unsigned column = 0;
};

class Lexer {
public:
  explicit Lexer(std::string_view text) : rest_(text) {}
  Token next();

private:
  void skip_blanks();
  char take();
  Token word(Token token);
  Token quoted(Token token);
  Token number(Token token);
  Token symbol(Token token);

  std::string_view rest_;
  unsigned line_ = 1, column_ = 1;
};

} // namespace footrace::scan::il
