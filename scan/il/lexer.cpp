#include "scan/il/lexer.h"

#include <cctype>

namespace footrace::scan::il {

namespace {

bool may_start_word(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_' || c == '~' || c == '%';
}
bool may_be_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)); }

} // namespace

char Lexer::take() {
  char c = rest_.front();
  rest_.remove_prefix(1);
  if (c == '\n') {
    ++line_;
    column_ = 1;
  } else {
    ++column_;
  }
  return c;
}

void Lexer::skip_blanks() {
  while (!rest_.empty()) {
    if (std::isspace(static_cast<unsigned char>(rest_.front())))
      take();
    else if (rest_.front() == '#')
      while (!rest_.empty() && rest_.front() != '\n') take();
    else
      return;
  }
}

Token Lexer::word(Token token) {
  token.kind = Token::Kind::Word;
  while (!rest_.empty()) {
    char c = rest_.front();
    bool scope = rest_.size() > 2 && rest_.starts_with("::") && may_start_word(rest_[2]);
    if (scope) token.text += take();
    if (!scope && !may_start_word(c) && !may_be_digit(c)) break;
    token.text += take();
  }
  return token;
}

Token Lexer::quoted(Token token) {
  token.kind = Token::Kind::Quoted;
  take();
  while (!rest_.empty() && rest_.front() != '"') {
    if (rest_.front() == '\\' && rest_.size() > 1) take();
    token.text += take();
  }
  if (!rest_.empty()) take();
  return token;
}

Token Lexer::number(Token token) {
  token.kind = Token::Kind::Number;
  while (!rest_.empty() && may_be_digit(rest_.front())) token.text += take();
  return token;
}

Token Lexer::symbol(Token token) {
  token.kind = Token::Kind::Symbol;
  for (std::string_view symbol : {":=", "->", "[*]", "[]"}) {
    if (!rest_.starts_with(symbol)) continue;
    for (std::size_t i = 0; i < symbol.size(); ++i) token.text += take();
    return token;
  }
  token.text += take();
  return token;
}

Token Lexer::next() {
  skip_blanks();
  Token token;
  token.line = line_;
  token.column = column_;
  if (rest_.empty()) return token;
  if (may_start_word(rest_.front())) return word(token);
  if (rest_.front() == '"') return quoted(token);
  if (may_be_digit(rest_.front())) return number(token);
  return symbol(token);
}

} // namespace footrace::scan::il
