#include "scan/domain/set_up.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>
#include <vector>

namespace footrace::scan::domain {

namespace {

// "name" of "Class::name(int)".
std::string_view plain_name(const il::Method& method) {
  const std::string& shown = method.shown.text();
  std::string_view name = std::string_view(shown).substr(0, shown.find('('));
  return name.substr(name.rfind(':') + 1);
}

bool is_upper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }

// uv_setup_args, setUpArgs: in lower case.
std::vector<std::string> words_of(std::string_view name) {
  std::vector<std::string> words(1);
  for (std::size_t i = 0; i < name.size(); ++i) {
    bool starts = is_upper(name[i]) && i > 0 && !is_upper(name[i - 1]);
    if (name[i] == '_' || starts) words.emplace_back();
    if (name[i] != '_') words.back() += char(std::tolower(static_cast<unsigned char>(name[i])));
  }
  return words;
}

// set_x, setX, on_x
bool has_name_of_a_setter(const il::Method& method) {
  std::string_view name = plain_name(method);
  auto starts_word = [&](std::size_t at) {
    return name.size() > at && (name[at] == '_' || is_upper(name[at]));
  };
  return (name.starts_with("set") && starts_word(3)) || (name.starts_with("on") && starts_word(2));
}

} // namespace

bool is_plain_setter(const il::Method& method) {
  if (!method.has_this || !has_name_of_a_setter(method)) return false;
  return std::ranges::all_of(method.blocks, [](const il::Block& block) {
    return std::ranges::all_of(block.statements, [](const il::Statement& statement) {
      const auto* op = std::get_if<il::LockOp>(&statement.what);
      return (!op || il::is_role_lock(op->lock)) && !std::holds_alternative<il::Call>(statement.what);
    });
  });
}

bool has_name_of_set_up(const il::Method& method) {
  static constexpr std::array<std::string_view, 9> names = {
      "init", "initialize", "initialise", "setup", "destroy", "deinit", "teardown", "finalize", "finalise"};
  return std::ranges::any_of(words_of(plain_name(method)), [&](const std::string& word) {
    return std::ranges::find(names, word) != names.end();
  });
}

SetUp::SetUp(const il::Method& method, const Accesses& accesses) : has_name_(has_name_of_set_up(method)) {
  if (!has_name_) return;
  for (const auto& [access, place] : accesses.all())
    if (access.kind == AccessKind::Read) reads_.emplace(access.path, place.calls);
}

bool SetUp::must_prepare(const AccessKey& access, const AccessPlace& place) const {
  return has_name_ && access.kind == AccessKind::Write && !reads_.contains({access.path, place.calls});
}

} // namespace footrace::scan::domain
