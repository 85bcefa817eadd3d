// The options of options.def, read once: the program's own __tsan_default_options() and
// __footrace_default_options(), then TSAN_OPTIONS, then FOOTRACE_OPTIONS; the last one wins.
#pragma once

#include "base/types.h"

namespace footrace {

using OptionText = const char*;

struct Options {
#define FR_OPTION(type, name, value, help) type name = value;
#include "runtime/options.def"
};

// Defaults until read_options() has run.
const Options& options();
// The text that __tsan_default_suppressions() and __footrace_default_suppressions() of the program return.
const char* default_suppressions();
// Asks the program and the environment, prints warnings to stderr. Ends the process with exit code 1 if the suppressions
// file cannot be read.
void read_options();
// From the program, for reports from here on: stderr, stdout, or a path to which .PID is added.
void set_log_path(const char* path);

enum class OptionSource : u8 { Tsan, Footrace };
// Called for everything that deserves the user's attention: unknown names, bad values.
using OptionWarning = void (*)(void* context, const char* message);
// One list of name=value; separators are : , space and newline, values may be quoted with ' or ".
void parse_options(Options& out, const char* text, OptionSource source, OptionWarning warn, void* context);

// Calls fn(context, name, value as text) for every option.
void for_each_option(const Options& from, void (*fn)(void*, const char* name, const char* value),
                     void* context);

} // namespace footrace
