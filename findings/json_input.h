// Reading JSON that may be damaged: every access to a field checks its type and notes what is wrong, by path.
#pragma once

#include "findings/finding.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace footrace::findings {

using Problems = std::vector<std::string>;

// Parses one value; on failure returns nothing and adds the reason. Bounds the depth first: LLVM's parser
// recurses.
std::optional<llvm::json::Value> parse_json(llvm::StringRef text, Problems& problems);

enum class Need { Optional, Required };

// One object of the input. Getters return a default for a missing optional field.
class Fields {
public:
  Fields(const llvm::json::Value& value, std::string path, Problems& problems);

  bool has(llvm::StringRef key) const;
  std::string text(llvm::StringRef key, Need need = Need::Optional) const;
  std::uint64_t number(llvm::StringRef key, Need need = Need::Optional) const;
  unsigned small_number(llvm::StringRef key, Need need = Need::Optional) const;
  std::optional<unsigned> optional_number(llvm::StringRef key) const;
  // "0x12ab".
  std::uint64_t address(llvm::StringRef key, Need need = Need::Optional) const;
  std::optional<std::uint64_t> optional_address(llvm::StringRef key) const;
  std::vector<std::uint64_t> addresses(llvm::StringRef key) const;
  std::vector<std::string> texts(llvm::StringRef key) const;
  bool flag(llvm::StringRef key) const;
  std::optional<Fields> object(llvm::StringRef key) const;
  void each(llvm::StringRef key, llvm::function_ref<void(const Fields&)> visit) const;
  // Every key whose value is a string.
  void each_text(llvm::function_ref<void(llvm::StringRef key, std::string value)> visit) const;

  void problem(llvm::StringRef key, llvm::StringRef what) const;

private:
  const llvm::json::Value* find(llvm::StringRef key, Need need) const;

  const llvm::json::Object* object_ = nullptr;
  std::string path_;
  Problems* problems_;
};

// An enumerator by its spelling; the first one of the type if it is missing or unknown.
template <class Enum> Enum get_enum(const Fields& in, llvm::StringRef key, Need need = Need::Optional) {
  std::string text = in.text(key, need);
  if (std::optional<Enum> value = from_text<Enum>(text)) return *value;
  if (!text.empty()) in.problem(key, "unknown value '" + text + "'");
  return Enum();
}

} // namespace footrace::findings
