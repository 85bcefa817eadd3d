#include "driver/report_options.h"

#include "driver/messages.h"
#include "findings/suppressions.h"

#include "llvm/ADT/StringRef.h"

#include <filesystem>

namespace footrace::driver {
namespace {

class Parser {
public:
  Parser(const Arguments& arguments, ReportOptions& options) : arguments_(arguments), options_(options) {}

  int parse(const std::vector<std::string>& formats) {
    for (at_ = 0; at_ < arguments_.size() && code_ == 0; ++at_) {
      const std::string& word = arguments_[at_];
      if (word == "--all") {
        options_.all = true;
      } else if (word == "-" || !word.starts_with("-")) {
        options_.files.push_back(word);
      } else if (!take_value("--baseline", options_.baseline) && !take_value("--db", options_.database) &&
                 !take_value("--commit", options_.commit) &&
                 !take_value("--suppressions", options_.suppressions) &&
                 !take_value("--root", options_.root) && !take_value("--suppress", options_.suppress) &&
                 !take_value("--reason", options_.reason) && !take_value("--until", options_.until) &&
                 !take_output(formats) && code_ == 0) {
        code_ = usage_error("unknown option '" + word + "'; see 'footrace help report'");
      }
    }
    return code_ ? code_ : check();
  }

private:
  bool take_value(const std::string& name, std::string& value) {
    llvm::StringRef word = arguments_[at_];
    if (word.consume_front(name + "=")) {
      value = word.str();
    } else if (word == name) {
      if (at_ + 1 < arguments_.size())
        value = arguments_[++at_];
      else
        value.clear();
    } else {
      return false;
    }
    if (value.empty()) code_ = usage_error("'" + name + "' needs a value");
    return true;
  }

  bool take_output(const std::vector<std::string>& formats) {
    std::string file;
    for (const std::string& format : formats)
      if (take_value("--" + format, file)) {
        options_.outputs.emplace_back(format, file);
        return true;
      }
    return false;
  }

  int check() {
    if (int code = use_default_file(options_.files)) return code;
    if (!options_.suppress.empty() && options_.reason.empty())
      return usage_error("'--suppress' needs '--reason TEXT': why nobody has to see this finding");
    if (options_.suppress.empty() && !(options_.reason.empty() && options_.until.empty()))
      return usage_error("'--reason' and '--until' belong to '--suppress ID'");
    if (!options_.commit.empty() && options_.database.empty())
      return usage_error("'--commit NAME' belongs to '--db FILE', where it is kept");
    if (!options_.until.empty() && !findings::is_date(options_.until))
      return usage_error("'--until' needs a date such as 2027-01-31, not '" + options_.until + "'");
    if (!options_.until.empty() && options_.until < findings::today())
      return usage_error("'--until " + options_.until + "' has passed already");
    if (!options_.suppress.empty() &&
        options_.suppress.find_first_not_of("0123456789abcdef") != std::string::npos)
      return usage_error("'" + options_.suppress +
                         "' is no ID of a finding: these are up to 16 hexadecimal digits");
    if (!options_.root.empty() && !std::filesystem::is_directory(options_.root))
      return usage_error("'--root' names '" + options_.root + "', which is not a folder");
    if (options_.outputs.empty()) options_.outputs.emplace_back("text", "-");
    return 0;
  }

  const Arguments& arguments_;
  ReportOptions& options_;
  std::size_t at_ = 0;
  int code_ = 0;
};

} // namespace

int use_default_file(std::vector<std::string>& files) {
  static constexpr const char* usual = "findings.jsonl";
  if (!files.empty()) return 0;
  if (!std::filesystem::exists(usual))
    return usage_error(std::string("no file of findings given, and there is no '") + usual +
                       "' here; 'footrace check', 'run', 'scan' and 'prove' write one with --findings FILE");
  files.push_back(usual);
  return 0;
}

int parse_report_options(const Arguments& arguments, const std::vector<std::string>& formats,
                         ReportOptions& options) {
  return Parser(arguments, options).parse(formats);
}

} // namespace footrace::driver
