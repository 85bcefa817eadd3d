#include "findings/json_input.h"

#include <algorithm>
#include <limits>

namespace footrace::findings {
namespace {

constexpr unsigned max_depth = 64; // the deepest value of our own formats is 6 levels

unsigned nesting_depth(llvm::StringRef text) {
  unsigned depth = 0, deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    if (in_string) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      deepest = std::max(deepest, ++depth);
    } else if ((c == '}' || c == ']') && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

std::optional<std::uint64_t> parse_address(const llvm::json::Value& value) {
  std::optional<llvm::StringRef> text = value.getAsString();
  std::uint64_t address = 0;
  if (!text || !text->consume_front("0x") || text->getAsInteger(16, address)) return std::nullopt;
  return address;
}

} // namespace

std::optional<llvm::json::Value> parse_json(llvm::StringRef text, Problems& problems) {
  if (nesting_depth(text) > max_depth) {
    problems.push_back("values nested more than " + std::to_string(max_depth) + " deep");
    return std::nullopt;
  }
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (value) return std::move(*value);
  problems.push_back("not JSON: " + llvm::toString(value.takeError()));
  return std::nullopt;
}

Fields::Fields(const llvm::json::Value& value, std::string path, Problems& problems)
    : object_(value.getAsObject()), path_(std::move(path)), problems_(&problems) {
  if (!object_) problems.push_back((path_.empty() ? "the line" : path_) + ": expected an object");
}

void Fields::problem(llvm::StringRef key, llvm::StringRef what) const {
  problems_->push_back((path_.empty() ? key.str() : path_ + '.' + key.str()) + ": " + what.str());
}

const llvm::json::Value* Fields::find(llvm::StringRef key, Need need) const {
  const llvm::json::Value* value = object_ ? object_->get(key) : nullptr;
  if (!value && object_ && need == Need::Required) problem(key, "missing");
  return value;
}

bool Fields::has(llvm::StringRef key) const { return find(key, Need::Optional) != nullptr; }

std::string Fields::text(llvm::StringRef key, Need need) const {
  const llvm::json::Value* value = find(key, need);
  if (!value) return {};
  if (std::optional<llvm::StringRef> text = value->getAsString()) return text->str();
  problem(key, "expected a string");
  return {};
}

std::uint64_t Fields::number(llvm::StringRef key, Need need) const {
  const llvm::json::Value* value = find(key, need);
  if (!value) return 0;
  if (std::optional<std::uint64_t> number = value->getAsUINT64()) return *number;
  problem(key, "expected a number that is not negative");
  return 0;
}

unsigned Fields::small_number(llvm::StringRef key, Need need) const {
  std::uint64_t value = number(key, need);
  if (value <= std::numeric_limits<unsigned>::max()) return static_cast<unsigned>(value);
  problem(key, "number too large");
  return 0;
}

std::optional<unsigned> Fields::optional_number(llvm::StringRef key) const {
  if (!has(key)) return std::nullopt;
  return small_number(key);
}

std::uint64_t Fields::address(llvm::StringRef key, Need need) const {
  const llvm::json::Value* value = find(key, need);
  if (!value) return 0;
  if (std::optional<std::uint64_t> address = parse_address(*value)) return *address;
  problem(key, "expected an address such as \"0x7f00\"");
  return 0;
}

std::optional<std::uint64_t> Fields::optional_address(llvm::StringRef key) const {
  if (!has(key)) return std::nullopt;
  return address(key);
}

std::vector<std::uint64_t> Fields::addresses(llvm::StringRef key) const {
  std::vector<std::uint64_t> result;
  const llvm::json::Value* value = find(key, Need::Optional);
  if (!value) return result;
  const llvm::json::Array* array = value->getAsArray();
  if (!array) {
    problem(key, "expected a list of addresses");
    return result;
  }
  for (const llvm::json::Value& element : *array) {
    if (std::optional<std::uint64_t> address = parse_address(element))
      result.push_back(*address);
    else
      problem(key, "expected addresses such as \"0x7f00\"");
  }
  return result;
}

std::vector<std::string> Fields::texts(llvm::StringRef key) const {
  std::vector<std::string> result;
  const llvm::json::Value* value = find(key, Need::Optional);
  if (!value) return result;
  const llvm::json::Array* array = value->getAsArray();
  if (!array) {
    problem(key, "expected a list of strings");
    return result;
  }
  for (const llvm::json::Value& element : *array) {
    if (std::optional<llvm::StringRef> text = element.getAsString())
      result.push_back(text->str());
    else
      problem(key, "expected strings");
  }
  return result;
}

bool Fields::flag(llvm::StringRef key) const {
  const llvm::json::Value* value = find(key, Need::Optional);
  if (!value) return false;
  if (std::optional<bool> flag = value->getAsBoolean()) return *flag;
  problem(key, "expected true or false");
  return false;
}

std::optional<Fields> Fields::object(llvm::StringRef key) const {
  const llvm::json::Value* value = find(key, Need::Optional);
  if (!value) return std::nullopt;
  return Fields(*value, path_.empty() ? key.str() : path_ + '.' + key.str(), *problems_);
}

void Fields::each(llvm::StringRef key, llvm::function_ref<void(const Fields&)> visit) const {
  const llvm::json::Value* value = find(key, Need::Optional);
  if (!value) return;
  const llvm::json::Array* array = value->getAsArray();
  if (!array) {
    problem(key, "expected a list");
    return;
  }
  std::string prefix = path_.empty() ? key.str() : path_ + '.' + key.str();
  for (std::size_t i = 0; i < array->size(); ++i)
    visit(Fields((*array)[i], prefix + '[' + std::to_string(i) + ']', *problems_));
}

void Fields::each_text(llvm::function_ref<void(llvm::StringRef, std::string)> visit) const {
  if (!object_) return;
  for (const auto& [key, value] : *object_) {
    if (std::optional<llvm::StringRef> text = value.getAsString())
      visit(key, text->str());
    else
      problem(key, "expected a string");
  }
}

} // namespace footrace::findings
