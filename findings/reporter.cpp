#include "findings/reporter.h"

#include "findings/expression.h"
#include "findings/json.h"
#include "findings/objects.h"
#include "findings/text.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <unistd.h>

namespace footrace::findings {
namespace {

constexpr std::uint64_t protocol_version = 1;
constexpr int program_stdout = 3; // inherited; our own standard output carries the answers

bool write_fully(int fd, std::string_view text) {
  while (!text.empty()) {
    ssize_t written = write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// Never one of the first descriptors, which have a meaning here even when the program had closed them.
int open_to_append(const std::string& path) {
  int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (fd < 0 || fd > program_stdout) return fd;
  int higher = fcntl(fd, F_DUPFD_CLOEXEC, program_stdout + 1);
  close(fd);
  return higher;
}

// As TSan does: relative to the working directory, else beside the program.
std::string find_suppressions(const std::string& path, const std::string& program) {
  std::error_code error;
  if (path.starts_with('/') || std::filesystem::exists(path, error)) return path;
  std::filesystem::path beside = std::filesystem::path(program).parent_path() / path;
  return std::filesystem::exists(beside, error) ? beside.string() : path;
}

} // namespace

Reporter::~Reporter() {
  if (log_fd_ > program_stdout) close(log_fd_);
  if (findings_fd_ >= 0) close(findings_fd_);
}

void Reporter::log(const std::string& text) {
  if (write_fully(log_fd_, text) || log_fd_ == 2) return;
  message("writing the log failed (option log_path): " + std::string(std::strerror(errno)) +
          "; reporting to standard error");
  if (log_fd_ > program_stdout) close(log_fd_);
  log_fd_ = 2;
  write_fully(log_fd_, text);
}

void Reporter::message(const std::string& text) { write_fully(2, "footrace: " + text + '\n'); }

const std::string& Reporter::option(std::string_view name) const {
  static const std::string none;
  auto found = hello_.options.find(name);
  return found == hello_.options.end() ? none : found->second;
}

std::uint64_t Reporter::number_option(std::string_view name, std::uint64_t fallback) {
  const std::string& text = option(name);
  if (text.empty()) return fallback;
  std::uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size()) return value;
  message("option " + std::string(name) + "=" + text + ": expected a number; using " +
          std::to_string(fallback));
  return fallback;
}

bool Reporter::has_option(std::string_view name) const {
  const std::string& text = option(name);
  return text == "1" || text == "true" || text == "yes";
}

std::optional<Answer> Reporter::handle(std::string_view line) {
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return std::nullopt;
  Message input = parse_message(line);
  if (!input.problems.empty()) {
    std::string extra =
        input.problems.size() > 1 ? " (and " + std::to_string(input.problems.size() - 1) + " more)" : "";
    std::string what = input.type == Message::Type::Race
                           ? "a race was found, but its description is damaged: "
                           : "unreadable line from the runtime: ";
    message(what + input.problems.front() + extra);
  }
  switch (input.type) {
  case Message::Type::Hello:
    start(input.hello);
    break;
  case Message::Type::Modules:
    symbolizer_.set_modules(std::move(input.modules));
    break;
  case Message::Type::Race:
    return report(input.race);
  case Message::Type::Bye:
    finish();
    break;
  case Message::Type::Unreadable:
    break;
  }
  return std::nullopt;
}

void Reporter::start(const Hello& hello) {
  hello_ = hello;
  if (hello.version != protocol_version)
    message("the program was linked with another version of the runtime (protocol " +
            std::to_string(hello.version) + ", this reporter reads " + std::to_string(protocol_version) +
            "); link it again with this footrace");
  report_limit_ = number_option("report_limit", report_limit_);
  verbosity_ = number_option("verbosity", verbosity_);
  open_log();
  open_findings_file();
  load_suppressions();
  color_ = wants_color(option("color"), log_fd_);
}

void Reporter::open_log() {
  const std::string& path = option("log_path");
  if (path.empty() || path == "stderr") return;
  if (path == "stdout") {
    if (fcntl(program_stdout, F_GETFD) >= 0)
      log_fd_ = program_stdout;
    else
      message("the program has closed its standard output (option log_path); reporting to standard error");
    return;
  }
  std::string file = path + '.' + std::to_string(hello_.pid);
  int fd = open_to_append(file);
  if (fd >= 0)
    log_fd_ = fd;
  else
    message("cannot write the log '" + file + "' (option log_path): " + std::strerror(errno) +
            "; reporting to standard error");
}

void Reporter::open_findings_file() {
  const std::string& path = option("findings");
  if (path.empty()) return;
  findings_fd_ = open_to_append(path);
  if (findings_fd_ < 0)
    message("cannot write the findings file '" + path + "' (option findings): " + std::strerror(errno) +
            "; findings are printed as text only");
}

void Reporter::load_suppressions() {
  suppressions_.set_today(today());
  std::vector<std::string> notes;
  std::vector<std::string> problems =
      suppressions_.parse(hello_.suppressions, "default_suppressions()", notes);
  if (const std::string& path = option("suppressions"); !path.empty())
    std::ranges::move(suppressions_.read(find_suppressions(path, hello_.program), notes),
                      std::back_inserter(problems));
  if (!has_option("library_races")) suppressions_.add_known_races();
  for (const std::string& problem : problems) message(problem);
  if (verbosity_ == 0) return;
  for (const std::string& note : notes) message(note);
}

bool Reporter::must_be_duplicate(const Finding& finding) {
  constexpr std::size_t most_objects = 8, most_callers = 8;
  const std::string object = object_key(finding);
  auto known = reported_.find(repetition_key(finding));
  if (known == reported_.end()) {
    if (!defects_.contains(defect_key(finding))) return false;
    remember(finding); // the same two places will race on other words of it too
    return true;
  }
  std::map<std::string, std::set<std::string>>& objects = known->second;
  auto same = objects.find(object);
  bool is_full;
  if (same == objects.end()) {
    if (object.empty()) return true;
    is_full = objects.size() >= most_objects;
  } else {
    bool has_new_caller = std::ranges::any_of(caller_keys(finding), [&](const std::string& key) {
      return !key.empty() && !same->second.contains(key);
    });
    if (!has_new_caller) return true;
    is_full = same->second.size() >= most_callers;
  }
  if (!is_full) return false;
  remember(finding);
  ++left_out_;
  return true;
}

void Reporter::remember(const Finding& finding) {
  std::vector<std::string> callers = caller_keys(finding);
  reported_[repetition_key(finding)][object_key(finding)].insert(callers.begin(), callers.end());
}

Answer Reporter::report(const RawRace& race) {
  Finding finding = build_finding(race, hello_, symbolizer_);
  // A damaged description may lack what tells races apart; such a race is never taken for a repetition.
  if (race.accesses.size() == 2) {
    if (must_be_duplicate(finding)) return Answer::Duplicate;
    read_source(finding, source_); // the fingerprint is made of it
    if (suppressions_.match(finding)) return Answer::Suppressed;
    remember(finding);
    defects_.insert(defect_key(finding));
  }
  ++races_;
  const Variable variable = variable_of(finding);
  auto& [name, count] = variables_[variable.key];
  if (++count == 1) name = variable.name;
  if (report_limit_ != 0 && races_ > report_limit_) {
    if (races_ == report_limit_ + 1)
      log("footrace: report_limit=" + std::to_string(report_limit_) +
          " reached: further races are counted, not printed\n");
    return Answer::Reported;
  }
  // The file first: whoever sees the text can already read the line.
  if (findings_fd_ >= 0 && !write_fully(findings_fd_, write_json(finding))) {
    message("writing the findings file failed: " + std::string(std::strerror(errno)) +
            "; findings are printed as text only");
    close(findings_fd_);
    findings_fd_ = -1;
  }
  log(write_text(finding, {.color = color_,
                           .all_frames = verbosity_ > 0,
                           .source = &source_,
                           .strip_prefix = option("strip_path_prefix")}));
  return Answer::Reported;
}

// One defect is mostly several races, by schedule: ": 4 on account.balance, 1 on limit". Nothing if no variable has several.
std::string Reporter::by_variable() const {
  constexpr std::size_t most_named = 6;
  if (std::ranges::none_of(variables_,
                           [](const auto& one) { return !one.first.empty() && one.second.second > 1; }))
    return {};
  std::map<std::string, std::uint64_t> by_name; // blocks of several places may be called alike
  for (const auto& [key, variable] : variables_)
    by_name[key.empty() ? "other memory" : variable.first] += variable.second;
  std::vector<std::pair<std::uint64_t, std::string>> all;
  for (const auto& [name, count] : by_name) all.emplace_back(count, name);
  std::ranges::sort(all, std::ranges::greater(), &std::pair<std::uint64_t, std::string>::first);
  std::string text;
  for (std::size_t i = 0; i < all.size() && i < most_named; ++i)
    text += (text.empty() ? ": " : ", ") + std::to_string(all[i].first) + " on " + all[i].second;
  if (all.size() > most_named) text += ", ... (" + std::to_string(all.size()) + " variables)";
  return text;
}

void Reporter::finish() {
  if (finished_) return;
  finished_ = true;
  if (has_option("print_suppressions")) {
    std::string list;
    std::uint64_t total = 0;
    for (const Suppression& rule : suppressions_.rules()) {
      if (rule.hits == 0) continue;
      total += rule.hits;
      list += "  " + std::to_string(rule.hits) + ' ' + rule.line + '\n';
    }
    log("footrace: " + std::to_string(total) + " race(s) suppressed" + (total ? " by:\n" : "\n") + list);
  }
  if (races_ == 0) return;
  log("footrace: " + std::to_string(races_) + (races_ == 1 ? " data race found" : " data races found") +
      by_variable() +
      (left_out_ == 0 ? "\n"
                      : ", and " + std::to_string(left_out_) +
                            " more like these, on other variables or from other callers\n"));
}

int run_reporter(int input, int output) {
  Reporter reporter;
  std::string pending;
  char buffer[1 << 16];
  auto answer = [&](std::string_view line) {
    // A failed write means that the program is gone; its remaining races are still worth reporting.
    if (std::optional<Answer> reply = reporter.handle(line)) {
      char byte = static_cast<char>(*reply);
      write_fully(output, {&byte, 1});
    }
  };
  while (true) {
    ssize_t size = read(input, buffer, sizeof buffer);
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    std::size_t searched = pending.size();
    pending.append(buffer, static_cast<std::size_t>(size));
    std::size_t begin = 0;
    for (std::size_t end; (end = pending.find('\n', std::max(begin, searched))) != std::string::npos;
         begin = end + 1)
      answer(std::string_view(pending).substr(begin, end - begin));
    pending.erase(0, begin);
  }
  if (!pending.empty()) answer(pending);
  reporter.finish();
  return 0;
}

} // namespace footrace::findings
