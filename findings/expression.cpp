#include "findings/expression.h"

#include "findings/frames.h"

#include <algorithm>
#include <array>

namespace footrace::findings {
namespace {

constexpr unsigned lines_around = 4; // of an excerpt, above and below
constexpr std::size_t longest_line = 400;

enum class Kind { Name, Number, Text, Operator };

struct Token {
  Kind kind;
  std::string_view text;
  std::size_t begin; // in the line
};

bool has_name_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

std::size_t end_of_quoted(std::string_view line, std::size_t at) {
  char quote = line[at++];
  while (at < line.size() && line[at] != quote) at += line[at] == '\\' ? 2 : 1;
  return std::min(at + 1, line.size());
}

std::vector<Token> tokens_of(std::string_view line) {
  static constexpr std::array operators = {
      "<<=", ">>=", "->*", "<=>", "->", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=",
      "|=",  "^=",  "==",  "!=",  "<=", ">=", "&&", "||", "::", "<<", ">>", ".*"};
  std::vector<Token> tokens;
  for (std::size_t at = 0; at < line.size();) {
    char c = line[at];
    if (c == ' ' || c == '\t') {
      ++at;
      continue;
    }
    if (line.substr(at).starts_with("//") || line.substr(at).starts_with("/*")) {
      std::size_t end = line[at + 1] == '/' ? std::string_view::npos : line.find("*/", at + 2);
      if (end == std::string_view::npos) break;
      at = end + 2;
      continue;
    }
    std::size_t end = at + 1;
    Kind kind = Kind::Operator;
    if (has_name_letter(c)) {
      kind = c >= '0' && c <= '9' ? Kind::Number : Kind::Name;
      while (end < line.size() && has_name_letter(line[end])) ++end;
    } else if (c == '"' || c == '\'') {
      kind = Kind::Text;
      end = end_of_quoted(line, at);
    } else {
      for (std::string_view candidate : operators)
        if (line.substr(at).starts_with(candidate)) {
          end = at + candidate.size();
          break;
        }
    }
    tokens.push_back({kind, line.substr(at, end - at), at});
    at = end;
  }
  return tokens;
}

bool is_update(std::string_view text) {
  return text == "++" || text == "--" ||
         (text.size() > 1 && text.ends_with('=') && text != "==" && text != "!=" && text != "<=" &&
          text != ">=");
}

bool is_assignment(std::string_view text) { return text == "=" || is_update(text); }

bool is_link(std::string_view text) { return text == "." || text == "->" || text == "::"; }

// A cursor on the tokens that never leaves them: one past either end is an empty operator.
class Reader {
public:
  Reader(std::string_view line, unsigned column, std::string_view member)
      : tokens_(tokens_of(line)), member_(member) {
    std::size_t offset = column == 0 ? 0 : column - 1;
    for (at_ = 0; at_ < size() && !(offset < end_of(at_)); ++at_) {
    }
  }

  SourceUse read() {
    if (at_ == size()) return {};
    std::string_view here = text(at_);
    if (here == "new" || here == "sizeof") return {}; // memory that has no name yet
    if (tokens_[at_].kind == Kind::Name && here != "this" && here != "return" && here != "delete")
      return from_name(at_);
    if (here == "this") return from_first(at_);
    if (here == "return" || here == "delete" || here == "(" || here == "!" || here == "&" || here == "-")
      return from_first(at_ + 1);
    if (here == "++" || here == "--")
      return at_ > 0 && ends_operand(at_ - 1) ? up_to(at_ - 1) : from_first(at_ + 1);
    if (here == "*" && !(at_ > 0 && ends_operand(at_ - 1))) return dereferenced();
    if (here == "=" || is_update(here) || here == "[" || here == "->" || here == "." || here == "<<" ||
        here == ">>" || here == "==" || here == "*" || here == "(")
      return at_ > 0 ? up_to(at_ - 1) : SourceUse();
    return {};
  }

private:
  std::size_t size() const { return tokens_.size(); }
  std::string_view text(std::size_t i) const { return i < size() ? tokens_[i].text : std::string_view(); }
  std::size_t end_of(std::size_t i) const { return tokens_[i].begin + tokens_[i].text.size(); }
  bool has_name(std::size_t i) const { return i < size() && tokens_[i].kind == Kind::Name; }
  bool ends_operand(std::size_t i) const {
    return (has_name(i) && text(i) != "return") || text(i) == ")" || text(i) == "]";
  }

  // The token that opens what the one at `close` closes, or `close` itself.
  std::size_t opening(std::size_t close) const {
    std::size_t depth = 0;
    for (std::size_t i = close + 1; i-- > 0;) {
      if (text(i) == ")" || text(i) == "]") ++depth;
      if ((text(i) == "(" || text(i) == "[") && --depth == 0) return i;
    }
    return close;
  }
  std::size_t closing(std::size_t open) const {
    std::size_t depth = 0;
    for (std::size_t i = open; i < size(); ++i) {
      if (text(i) == "(" || text(i) == "[") ++depth;
      if ((text(i) == ")" || text(i) == "]") && --depth == 0) return i;
    }
    return size();
  }

  // The last name of the operand that ends at `last`: `a.b` of `a.b[i]`; one past the end if there is none.
  std::size_t last_name(std::size_t last) const {
    while (last < size() && (text(last) == "]" || text(last) == ")")) {
      std::size_t open = opening(last);
      if (open == last) return size();
      // `(x)` is its content, `f(x)` and `a[i]` what stands before.
      if (open > 0 && ends_operand(open - 1))
        last = open - 1;
      else if (text(last) == ")" && last > 0)
        return last_name(last - 1);
      else
        return size();
    }
    return has_name(last) ? last : size();
  }

  SourceUse up_to(std::size_t last) {
    std::size_t name = last_name(last);
    if (name == size()) return {};
    SourceUse found = from_name(name);
    found.by_operator = is_assignment(text(at_));
    // A store through `*p = 1` is not one into p; one to `(*p).x` is to a member.
    bool is_starred = first_ > 0 && text(first_ - 1) == "*" && !(first_ > 1 && ends_operand(first_ - 2));
    bool has_member = first_ > 1 && text(first_ - 2) == "(" && is_link(text(closing(first_ - 2) + 1));
    if (is_starred && !has_member) found.expression = "*" + found.expression;
    return found;
  }

  SourceUse from_first(std::size_t i) {
    while (i < size() && (text(i) == "(" || text(i) == "*" || text(i) == "&" || text(i) == "this" ||
                          text(i) == "!" || text(i) == "[" || text(i) == "]" || is_link(text(i))))
      ++i;
    if (!has_name(i)) return {};
    // The whole of the operand: `++a.b[i]` is about a.b.
    while (true) {
      std::size_t next = after_subscripts(i);
      if (!is_link(text(next)) || !has_name(next + 1)) return from_name(i);
      i = next + 1;
    }
  }

  SourceUse dereferenced() {
    SourceUse found = from_first(at_ + 1);
    if (!found.expression.empty()) found.expression = "*" + found.expression;
    return found;
  }

  // `member_` is the last name that is accessed: go on to it from the beginning of the expression.
  std::size_t go_to_member(std::size_t name) const {
    if (member_.empty()) return name;
    for (std::size_t i = name; has_name(i);) {
      if (text(i) == member_) return i;
      std::size_t next = after_subscripts(i);
      if (!is_link(text(next))) break;
      i = next + 1;
    }
    return name;
  }

  std::size_t after_subscripts(std::size_t name) const {
    std::size_t next = name + 1;
    while (text(next) == "[") next = std::min(closing(next) + 1, size());
    return next;
  }

  SourceUse from_name(std::size_t name) {
    name = go_to_member(name);
    SourceUse found;
    found.expression = text(name);
    first_ = name;
    while (first_ > 1 && is_link(text(first_ - 1))) {
      std::size_t before = last_name(first_ - 2);
      if (text(first_ - 2) == "this") {
        first_ -= 2;
        break;
      }
      if (before == size()) break;
      found.expression =
          std::string(text(before)) + (text(first_ - 1) == "::" ? "::" : ".") + found.expression;
      first_ = before;
    }
    std::size_t next = after_subscripts(name);
    found.use = use_before(next);
    std::size_t last = std::min(next, size()) - 1;
    found.first = static_cast<unsigned>(tokens_[first_].begin) + 1;
    found.length = static_cast<unsigned>(end_of(last) - tokens_[first_].begin);
    return found;
  }

  std::string use_before(std::size_t next) const {
    std::string_view after = text(next);
    std::string_view before = first_ > 0 ? text(first_ - 1) : std::string_view();
    bool prefixed = (before == "++" || before == "--") && !(first_ > 1 && ends_operand(first_ - 2));
    if (is_update(after) || prefixed) return "update";
    if (after == "=") return "write";
    return after == "(" ? "call" : "read";
  }

  std::vector<Token> tokens_;
  std::string_view member_;
  std::size_t at_ = 0;
  std::size_t first_ = 0; // token of the expression that was found last
};

// Erases balanced brackets and what is in them; `->` and operators are not brackets.
std::string without_brackets(std::string_view text, char open, char close) {
  std::string result;
  std::size_t depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    bool is_operator = std::string_view(result).ends_with("operator") ||
                       (depth == 0 && i > 0 && text[i - 1] == '-' && text[i] == '>');
    if (text[i] == open && !is_operator) {
      ++depth;
    } else if (text[i] == close && depth > 0) {
      --depth;
    } else if (depth == 0) {
      result += text[i];
      // "operator()" keeps its pair, "operator<" its sign.
      if (is_operator && text[i] == '(' && i + 1 < text.size()) result += text[++i];
    }
  }
  return result;
}

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

// One name for all lambdas, whoever wrote the name: "$_0", "'lambda1'", "{lambda(int)#2}", "(lambda)".
std::string with_plain_lambdas(std::string_view function) {
  std::string text(function);
  replace_all(text, "(lambda)", "lambda");
  replace_all(text, "(anonymous namespace)::", "");
  for (std::size_t at = text.find("$_"); at != std::string::npos; at = text.find("$_", at)) {
    std::size_t end = at + 2;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9') ++end;
    text.replace(at, end - at, "lambda");
  }
  for (std::string_view begin : {"'lambda", "{lambda"})
    for (std::size_t at = text.find(begin); at != std::string::npos; at = text.find(begin, at)) {
      std::size_t end = text.find(begin[0] == '{' ? '}' : '\'', at + 1);
      if (end == std::string::npos) break;
      text.replace(at, end - at + 1, "lambda");
    }
  return text;
}

} // namespace

// `a[i] = 1` reads the pointer a before it writes, and both begin at `a`; a macro may write where the line seems to read.
static std::string resolved_use(const SourceUse& found, AccessKind kind) {
  if (found.by_operator || found.use == "update" || found.use == "call") return found.use;
  if (kind == AccessKind::Read || kind == AccessKind::AtomicRead) return "read";
  return kind == AccessKind::Write || kind == AccessKind::AtomicWrite ? "write" : found.use;
}

SourceUse read_use(std::string_view line, unsigned column, std::string_view member) {
  return Reader(line, column, member).read();
}

std::string plain_function(std::string_view function) {
  std::string text = with_plain_lambdas(function);
  text = without_brackets(text, '(', ')');
  text = without_brackets(text, '<', '>');
  for (std::string_view suffix : {" const", " volatile", " &", " &&", " noexcept"})
    while (text.ends_with(suffix)) text.erase(text.size() - suffix.size());
  // The type of the result; "operator new" and "operator bool" have a space of their own.
  std::size_t name = std::min(text.find("operator "), text.size());
  if (std::size_t space = text.rfind(' ', name == text.size() ? name : name - (name != 0));
      space != std::string::npos && space < name)
    text.erase(0, space + 1);
  // What the optimiser made of a C function: "f.cold", "f.constprop.0".
  if (std::size_t dot = text.find('.'); dot != std::string::npos && dot != 0) text.erase(dot);
  return text;
}

std::string plain_path(std::string_view path) {
  std::string text = without_brackets(path, '[', ']');
  replace_all(text, "->", ".");
  if (text.starts_with("this.")) text.erase(0, 5);
  return text;
}

void read_source(Finding& finding, SourceLines& source) {
  for (Access& access : finding.accesses) {
    if (access.stack.empty()) continue;
    const SourceLocation& at = access.stack[user_frame(access)].location;
    std::optional<std::string> line = source.line(at);
    if (!line) continue;
    std::string_view known = access.expression;
    SourceUse found = read_use(*line, at.column, known.substr(known.find_last_of(".:") + 1));
    if (!found.expression.empty()) {
      access.expression = std::move(found.expression);
      access.use = resolved_use(found, access.kind);
    }
    access.excerpt.first = at.line > lines_around ? at.line - lines_around : 1;
    access.excerpt.lines.clear();
    for (unsigned number = access.excerpt.first; number <= at.line + lines_around; ++number) {
      std::optional<std::string> text = source.line({at.file, number, 0});
      if (!text) break;
      access.excerpt.lines.push_back(text->substr(0, longest_line));
    }
  }
  seal(finding);
}

} // namespace footrace::findings
