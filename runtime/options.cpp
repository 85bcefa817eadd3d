#include "runtime/options.h"

#include "base/platform.h"
#include "runtime/arena.h"
#include "runtime/environment.h"
#include "runtime/modules.h"

#include <sys/syscall.h>

// What the program itself may define; null otherwise.
extern "C" {
__attribute__((weak)) const char* __tsan_default_options();
__attribute__((weak)) const char* __footrace_default_options();
__attribute__((weak)) const char* __tsan_default_suppressions();
__attribute__((weak)) const char* __footrace_default_suppressions();
}

namespace footrace {
namespace {

Options g_options;

constexpr u32 kMaxIncludes = 8;

bool is_separator(char c) { return c == ':' || c == ',' || c == ' ' || c == '\n' || c == '\t' || c == '\r'; }
bool is_one_of(const char* value, const char* a, const char* b, const char* c) {
  return same_text(value, a) || same_text(value, b) || same_text(value, c);
}

// set() returns the accepted form when the value does not have it.
const char* set(bool& option, const char*, const char* value, OptionSource) {
  bool yes = is_one_of(value, "1", "true", "yes");
  if (!yes && !is_one_of(value, "0", "false", "no")) return "0 or 1";
  option = yes;
  return nullptr;
}

const char* set(i64& option, const char* name, const char* value, OptionSource source) {
  u64 limit = same_text(name, "exitcode") ? 255 : 1ull << 40, number = 0;
  const char* form = limit == 255 ? "a number from 0 to 255" : "a number that is not negative";
  if (!*value) return form;
  for (const char* c = value; *c; ++c) {
    if (*c < '0' || *c > '9') return form;
    number = number * 10 + u64(*c - '0');
    if (number > limit) return form;
  }
  // There the option is a power of two.
  if (source == OptionSource::Tsan && number <= 7 && same_text(name, "history_size"))
    number = 32768ull << number;
  option = i64(number);
  return nullptr;
}

const char* set(OptionText& option, const char* name, const char* value, OptionSource) {
  if (same_text(name, "color") && !is_one_of(value, "auto", "always", "never"))
    return "auto, always or never";
  option = arena_copy(value, length_of(value));
  return nullptr;
}

void add_value(TextBuffer& out, bool value) { out.add(value ? '1' : '0'); }
void add_value(TextBuffer& out, i64 value) { out.add_decimal(u64(value)); }
void add_value(TextBuffer& out, OptionText value) { out.add(value); }

void print_help() {
  TextBuffer out;
  Options defaults;
  out.add("footrace: options for FOOTRACE_OPTIONS (and, by the same names, TSAN_OPTIONS): "
          "name=value:name=value...\n");
#define FR_OPTION(type, name, value, help)                                                                   \
  out.add("  " #name "=");                                                                                   \
  add_value(out, defaults.name);                                                                             \
  out.add("\n      " help "\n");
#define FR_DIRECTIVE(name, value, help)                                                                      \
  out.add("  " #name "=");                                                                                   \
  add_value(out, value);                                                                                     \
  out.add("\n      " help "\n");
#include "runtime/options.def"
  write_error(out.data(), out.size());
}

bool is_option_of_tsan(const char* name) {
#define TSAN_OPTION(option)                                                                                  \
  if (same_text(name, #option)) return true;
#include "runtime/tsan_options.def"
  return false;
}

class Parser {
public:
  Parser(Options& out, OptionSource source, const char* origin, OptionWarning warn, void* context)
      : out_(out), source_(source), origin_(origin), warn_(warn), context_(context) {}

  void parse(const char* text) {
    while (true) {
      while (is_separator(*text)) ++text;
      if (!*text) return;
      TextBuffer name, value;
      while (*text && *text != '=' && !is_separator(*text)) name.add(*text++);
      if (*text != '=') {
        warn(name.c_str(), "has no value: write name=value");
        continue;
      }
      text = read_value(text + 1, name.c_str(), value);
      apply(name.c_str(), value.c_str());
    }
  }

private:
  const char* read_value(const char* text, const char* name, TextBuffer& value) {
    char quote = *text == '\'' || *text == '"' ? *text++ : 0;
    while (*text && (quote ? *text != quote : !is_separator(*text))) value.add(*text++);
    if (quote && !*text) warn(name, "has a value without its closing quote");
    return quote && *text ? text + 1 : text;
  }

  void apply(const char* name, const char* value) {
#define FR_OPTION(type, option, initial, help)                                                               \
  if (same_text(name, #option)) return refuse(name, value, set(out_.option, name, value, source_));
#include "runtime/options.def"
    if (same_text(name, "include")) return include(value);
    if (same_text(name, "help")) {
      bool wanted = false;
      refuse(name, value, set(wanted, name, value, source_));
      if (wanted && warn_) print_help();
      return;
    }
    if (source_ == OptionSource::Footrace)
      warn(name, "is not an option of Footrace and is ignored; help=1 lists all");
    else if (!is_option_of_tsan(name))
      warn(name,
           "is an option of neither ThreadSanitizer nor Footrace and is ignored; help=1 lists Footrace's");
    else if (out_.verbosity >= 1)
      warn(name, "has no meaning for Footrace and is ignored");
  }

  void include(const char* path) {
    TextBuffer text;
    if (depth_ == kMaxIncludes) return warn("include", "is nested too deeply and is ignored");
    if (!read_file(path, text)) return refuse("include", path, "a file that can be read");
    ++depth_;
    parse(text.c_str());
    --depth_;
  }

  void refuse(const char* name, const char* value, const char* form) {
    if (!form) return;
    TextBuffer what;
    what.add("cannot be '");
    what.add(value);
    what.add("': it takes ");
    what.add(form);
    what.add("; it is left as it was");
    warn(name, what.c_str());
  }

  void warn(const char* name, const char* what) {
    if (!warn_) return;
    TextBuffer message;
    message.add("warning: ");
    message.add(origin_);
    message.add(": '");
    message.add(name);
    message.add("' ");
    message.add(what);
    warn_(context_, message.c_str());
  }

  Options& out_;
  OptionSource source_;
  const char* origin_;
  OptionWarning warn_;
  void* context_;
  u32 depth_ = 0;
};

bool is_readable(const char* path) {
  TextBuffer text;
  return read_file(path, text);
}

OptionText absolute(OptionText path) {
  TextBuffer out;
  add_absolute(out, path);
  return arena_copy(out.data(), out.size());
}

// Relative paths mean the directory the program was started in; a suppression file may also lie beside the
// executable.
OptionText find_suppressions(OptionText given) {
  OptionText path = absolute(given);
  if (is_readable(path)) return path;
  if (*given != '/') {
    const char* exe = executable_path();
    u64 directory = length_of(exe);
    while (directory && exe[directory - 1] != '/') --directory;
    TextBuffer beside;
    beside.add(exe, directory);
    beside.add(given);
    if (is_readable(beside.c_str())) return arena_copy(beside.data(), beside.size());
  }
  say("fatal: cannot read the suppression file '", path,
      "': correct suppressions= in FOOTRACE_OPTIONS or TSAN_OPTIONS");
  sys(SYS_exit_group, 1);
  __builtin_trap();
}

const char* call_if_defined(const char* (*function)()) { return function ? function() : nullptr; }

const char* g_default_suppressions = "";

// Asked once, at the start: later a report may come from anywhere.
void keep_default_suppressions() {
  TextBuffer rules;
  auto add = [&](const char* text) {
    if (!text) return;
    rules.add(text);
    rules.add('\n');
  };
  add(call_if_defined(__tsan_default_suppressions));
  add(call_if_defined(__footrace_default_suppressions));
  g_default_suppressions = arena_copy(rules.data(), rules.size());
}

} // namespace

const Options& options() { return g_options; }
const char* default_suppressions() { return g_default_suppressions; }

void parse_options(Options& out, const char* text, OptionSource source, OptionWarning warn, void* context) {
  const char* origin = source == OptionSource::Tsan ? "TSAN_OPTIONS" : "FOOTRACE_OPTIONS";
  Parser(out, source, origin, warn, context).parse(text);
}

void read_options() {
  // Whoever runs the program has the last word.
  struct {
    const char *text, *origin;
    OptionSource source;
  } const lists[] = {
      {call_if_defined(__tsan_default_options), "__tsan_default_options", OptionSource::Tsan},
      {call_if_defined(__footrace_default_options), "__footrace_default_options", OptionSource::Footrace},
      {environment("TSAN_OPTIONS"), "TSAN_OPTIONS", OptionSource::Tsan},
      {environment("FOOTRACE_OPTIONS"), "FOOTRACE_OPTIONS", OptionSource::Footrace},
  };
  Options first; // how much to say depends on an option that may come last
  for (const auto& list : lists)
    if (list.text) Parser(first, list.source, list.origin, nullptr, nullptr).parse(list.text);

  g_options = Options();
  g_options.verbosity = first.verbosity;
  auto warn = [](void*, const char* message) { say(message); };
  for (const auto& list : lists)
    if (list.text) Parser(g_options, list.source, list.origin, warn, nullptr).parse(list.text);

  keep_default_suppressions();
  if (*g_options.suppressions) g_options.suppressions = find_suppressions(g_options.suppressions);
  if (*g_options.findings) g_options.findings = absolute(g_options.findings);
  if (*g_options.stats_file) g_options.stats_file = absolute(g_options.stats_file);
  if (*g_options.reporter_path) g_options.reporter_path = absolute(g_options.reporter_path);
  set_log_path(g_options.log_path);
}

void set_log_path(const char* path) {
  const bool is_stream = is_one_of(path, "stderr", "stdout", "");
  g_options.log_path = is_stream ? arena_copy(path, length_of(path)) : absolute(path);
}

void for_each_option(const Options& from, void (*fn)(void*, const char*, const char*), void* context) {
  TextBuffer value;
#define FR_OPTION(type, name, initial, help)                                                                 \
  value.clear();                                                                                             \
  add_value(value, from.name);                                                                               \
  fn(context, #name, value.c_str());
#include "runtime/options.def"
}

} // namespace footrace
