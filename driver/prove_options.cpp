#include "driver/prove_options.h"

#include "driver/messages.h"

#include <filesystem>

namespace footrace::driver {
namespace {

constexpr unsigned default_confirm_runs = 6;

// An option with its value, as "--name=VALUE" or "--name VALUE".
bool take_value(const Arguments& arguments, std::size_t& i, const char* name, std::string& value) {
  llvm::StringRef argument = arguments[i];
  if (argument.consume_front(std::string(name) + "=")) {
    value = argument.str();
    return true;
  }
  if (argument != name || i + 1 == arguments.size()) return false;
  value = arguments[++i];
  return true;
}

class Parser {
public:
  Parser(const Arguments& arguments, ProveOptions& options) : arguments_(arguments), options_(options) {}

  int parse() {
    for (; at_ < arguments_.size() && code_ == 0; at_++) {
      if (arguments_[at_] == "--") {
        options_.clang_arguments.assign(arguments_.begin() + static_cast<std::ptrdiff_t>(at_) + 1,
                                        arguments_.end());
        break;
      }
      if (take_switch() || take_numbers() || take_words()) continue;
      if (arguments_[at_].starts_with("-"))
        return usage_error(
            "unknown option '" + arguments_[at_] +
            "', or its value is missing; options of clang go after '--'; see 'footrace help prove'");
      options_.files.push_back(arguments_[at_]);
    }
    return code_ ? code_ : check();
  }

private:
  bool take_switch() {
    const std::string& argument = arguments_[at_];
    for (auto [name, target] : {std::pair("--stats", &options_.stats),
                                {"--progress", &options_.progress},
                                {"--allow-unmodelled", &options_.allow_unmodelled},
                                {"--collapse-arrays", &options_.pointers.collapse_arrays}})
      if (argument == name) return *target = true;
    if (argument != "--confirm") return false;
    options_.confirm_runs = default_confirm_runs;
    return true;
  }

  bool take_number(const char* name, const char* what, unsigned long& number) {
    std::string value;
    if (!take_value(arguments_, at_, name, value)) return false;
    if (llvm::StringRef(value).getAsInteger(10, number))
      code_ = usage_error("'" + llvm::Twine(name) + "' needs " + what + ", not '" + value + "'");
    return true;
  }

  bool take_numbers() {
    unsigned long number = 0;
    if (take_number("--memory-limit", "MB", options_.memory_limit_mb)) return true;
    if (take_number("--most-pairs", "a number", options_.most_pairs)) return true;
    if (take_number("-k", "a number", number))
      return options_.pointers.k = static_cast<unsigned>(number), true;
    if (take_number("-j", "a number", number)) return options_.jobs = static_cast<unsigned>(number), true;
    if (take_number("--timeout", "seconds", number))
      return options_.timeout_seconds = static_cast<unsigned>(number), true;
    if (llvm::StringRef(arguments_[at_]).starts_with("--confirm=") &&
        take_number("--confirm", "a number of runs", number))
      return options_.confirm_runs = static_cast<unsigned>(number), true;
    return false;
  }

  bool take_words() {
    std::string value;
    if (take_value(arguments_, at_, "-p", options_.build)) return true;
    if (take_value(arguments_, at_, "--main", options_.main_file)) return true;
    if (take_value(arguments_, at_, "--proofs", options_.proofs_file)) return true;
    if (take_value(arguments_, at_, "--findings", options_.findings_file)) return true;
    if (take_value(arguments_, at_, "--confirm-argument", value))
      return options_.confirm_arguments.push_back(value), true;
    if (take_value(arguments_, at_, "--assume", value)) {
      options_.assume_queue_transfer = value == "queue-transfer";
      if (!options_.assume_queue_transfer)
        code_ = usage_error("'--assume' is queue-transfer, not '" + value + "'");
      return true;
    }
    if (!take_value(arguments_, at_, "--format", value)) return false;
    if (value != "text" && value != "json" && value != "sv")
      code_ = usage_error("'--format' is text, json or sv, not '" + value + "'");
    options_.format = value == "json" ? ProveFormat::Json
                      : value == "sv" ? ProveFormat::Sv
                                      : ProveFormat::Text;
    return true;
  }

  int check() const {
    if (options_.files.empty() && options_.build.empty())
      return usage_error("no file given; usage: footrace prove [-p BUILD] FILE... [-- CLANG-OPTIONS]");
    if (!options_.main_file.empty() && options_.build.empty())
      return usage_error("'--main' chooses among the programs of a build: give '-p BUILD' as well");
    for (const std::string& file : options_.files)
      if (!std::filesystem::exists(file)) return usage_error("the file '" + file + "' does not exist");
    return 0;
  }

  const Arguments& arguments_;
  ProveOptions& options_;
  std::size_t at_ = 0;
  int code_ = 0;
};

} // namespace

int parse_prove_options(const Arguments& arguments, ProveOptions& options) {
  return Parser(arguments, options).parse();
}

} // namespace footrace::driver
