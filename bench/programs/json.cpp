// JSON: documents are written as text, parsed into a tree, changed, written again and compared.
// Sharing: one template document is parsed before the threads start and read by all of them, by copy; the
// rest is thread-local strings and trees, so what moves between threads is memory that the heap recycles.
#include "bench/programs/program.h"

#include <charconv>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace {

struct Value;
using Array = std::vector<Value>;
using Object = std::map<std::string, Value, std::less<>>;
struct Value {
  std::variant<std::monostate, bool, int64_t, std::string, Array, Object> is;
};

class Writer {
public:
  std::string take() { return std::move(out_); }
  void write(const Value& value) {
    std::visit([this](const auto& x) { put(x); }, value.is);
  }

private:
  std::string out_;

  void put(std::monostate) { out_ += "null"; }
  void put(bool x) { out_ += x ? "true" : "false"; }
  void put(int64_t x) {
    char digits[24];
    out_.append(digits, std::to_chars(digits, digits + sizeof digits, x).ptr);
  }
  void put(const std::string& x) {
    out_ += '"';
    for (char c : x) {
      if (c == '"' || c == '\\') out_ += '\\';
      if (c == '\n')
        out_ += "\\n";
      else
        out_ += c;
    }
    out_ += '"';
  }
  void put(const Array& x) {
    char separator = '[';
    for (const Value& element : x) out_ += std::exchange(separator, ','), write(element);
    out_ += x.empty() ? "[]" : "]";
  }
  void put(const Object& x) {
    char separator = '{';
    for (const auto& [name, member] : x) {
      out_ += std::exchange(separator, ',');
      put(name);
      out_ += ':';
      write(member);
    }
    out_ += x.empty() ? "{}" : "}";
  }
};

// Recursive descent over what Writer writes, and white space between tokens.
class Parser {
public:
  explicit Parser(std::string_view text) : text_(text) {}
  bool parse(Value& out) { return value(out) && (skip_space(), at_ == text_.size()); }

private:
  std::string_view text_;
  size_t at_ = 0;

  void skip_space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n')) ++at_;
  }
  bool take(char c) {
    skip_space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool take_word(std::string_view word) {
    if (text_.substr(at_, word.size()) != word) return false;
    at_ += word.size();
    return true;
  }
  bool value(Value& out) {
    skip_space();
    if (at_ == text_.size()) return false;
    switch (text_[at_]) {
    case '{':
      return object(out.is.emplace<Object>());
    case '[':
      return array(out.is.emplace<Array>());
    case '"':
      return string(out.is.emplace<std::string>());
    case 'n':
      return out.is.emplace<std::monostate>(), take_word("null");
    case 't':
      return out.is.emplace<bool>(true), take_word("true");
    case 'f':
      return out.is.emplace<bool>(false), take_word("false");
    default:
      return number(out.is.emplace<int64_t>());
    }
  }
  bool number(int64_t& out) {
    auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), out);
    at_ = size_t(end - text_.data());
    return error == std::errc();
  }
  bool string(std::string& out) {
    for (++at_; at_ < text_.size() && text_[at_] != '"'; ++at_) {
      if (text_[at_] != '\\')
        out += text_[at_];
      else if (++at_ < text_.size())
        out += text_[at_] == 'n' ? '\n' : text_[at_];
    }
    return take('"');
  }
  bool array(Array& out) {
    if (++at_; take(']')) return true;
    do
      if (!value(out.emplace_back())) return false;
    while (take(','));
    return take(']');
  }
  bool object(Object& out) {
    if (++at_; take('}')) return true;
    do {
      std::string name;
      skip_space();
      if (at_ == text_.size() || text_[at_] != '"' || !string(name) || !take(':')) return false;
      if (!value(out[std::move(name)])) return false;
    } while (take(','));
    return take('}');
  }
};

constexpr std::string_view kTemplate = R"({"type": "order", "paid": false, "note": "say \"hello\"\nand \\go",
  "customer": {"name": "Ada", "address": {"street": "Main", "number": 12, "tags": [1, -2, null, true]}},
  "lines": [], "empty": {}, "total": 0})";

// The template with a number of order lines.
Value make_document(const Value& form, uint64_t number) {
  bench::Random random(number);
  Value document = form;
  Object& order = std::get<Object>(document.is);
  Array& lines = std::get<Array>(order["lines"].is);
  int64_t total = 0;
  for (uint64_t i = 0, n = 5 + number % 20; i < n; ++i) {
    int64_t price = int64_t(random.below(100'000));
    Object line;
    line["article"].is = "article " + std::to_string(random.below(1'000'000));
    line["price"].is = price;
    line["gift"].is = random.below(2) == 0;
    lines.push_back({std::move(line)});
    total += price;
  }
  order["total"].is = total;
  order["id"].is = int64_t(number);
  return document;
}

std::string text_of(const Value& value) {
  Writer writer;
  writer.write(value);
  return writer.take();
}

// Writes, parses, writes again: the texts are equal or the result is 0.
uint64_t round_trip(const Value& form, uint64_t number) {
  std::string text = text_of(make_document(form, number));
  Value parsed;
  if (!Parser(text).parse(parsed) || text_of(parsed) != text) return 0;
  Object& order = std::get<Object>(parsed.is);
  order["paid"].is = true;
  order.erase("note");
  uint64_t h = number;
  for (char c : text_of(parsed)) h = h * 131 + uint64_t(c);
  return bench::mix(h, text.size());
}

uint64_t json(const bench::Config& config) {
  const size_t documents = config.pick<size_t>(2'000, 20'000, 168'000);
  Value form;
  if (!Parser(kTemplate).parse(form)) return 1;
  std::vector<uint64_t> sums(config.threads);
  bench::parallel(config.threads, [&](unsigned me) {
    bench::Range mine = bench::share(documents, me, config.threads);
    uint64_t sum = 0;
    for (size_t i = mine.begin; i < mine.end; ++i) sum += round_trip(form, i);
    sums[me] = sum;
  });
  uint64_t total = 0;
  for (uint64_t sum : sums) total += sum;
  return total;
}

} // namespace

int main(int argc, char** argv) {
  return bench::run_program(argc, argv, false, {0x7ec3df8c2af641e5, 0xfbb0e067114efd7a, 0xa71ebfe2e8a1ef15},
                            json);
}
