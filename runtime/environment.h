// The program's environment and files at start-up, without libc (the runtime may run before libc has set
// itself up).
#pragma once

#include "runtime/json_writer.h"

namespace footrace {

// The value as it was when first asked for anything; null if not set.
const char* environment(const char* name);
// All of it, as "NAME=value"; ends with null.
const char* const* startup_environment();

bool same_text(const char* a, const char* b);
// Adds the whole file; false if it cannot be read.
bool read_file(const char* path, TextBuffer& out);
// `path` seen from the current directory, which the program may leave later.
void add_absolute(TextBuffer& out, const char* path);
// Writes one "footrace: ..." line to stderr, as long as the program has one.
void say(const char* a, const char* b = "", const char* c = "", const char* d = "", const char* e = "");

} // namespace footrace
