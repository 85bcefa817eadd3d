#include "runtime/mappings.h"

#include "check/mapping.h"
#include "check/touched_pages.h"
#include "runtime/environment.h"

namespace footrace {

namespace {
uptr parse_hex(const char*& text) {
  uptr value = 0;
  for (;; ++text) {
    if (*text >= '0' && *text <= '9')
      value = value * 16 + uptr(*text - '0');
    else if (*text >= 'a' && *text <= 'f')
      value = value * 16 + uptr(*text - 'a' + 10);
    else
      return value;
  }
}
} // namespace

bool visit_mappings(void (*fn)(void*, uptr begin, uptr end), void* argument) {
  TextBuffer maps;
  if (!read_file("/proc/self/maps", maps)) return false;
  for (const char* line = maps.c_str(); *line;) {
    uptr begin = parse_hex(line);
    if (*line == '-') ++line;
    uptr end = parse_hex(line);
    if (begin < end && may_have_shadow(begin) && may_have_shadow(end - 1)) fn(argument, begin, end);
    while (*line && *line != '\n') ++line;
    if (*line) ++line;
  }
  return true;
}

bool visit_shadowed_memory(void (*fn)(void*, uptr begin, uptr end), void* argument) {
  if (!can_scan_pages()) return visit_mappings(fn, argument);
  for (const Window& window : kWindows) fn(argument, window.begin, window.end);
  return true;
}

} // namespace footrace
