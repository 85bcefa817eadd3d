#include "findings/frames.h"

#include <algorithm>
#include <array>

namespace footrace::findings {
namespace {

bool starts_with_any(std::string_view text, auto&& prefixes) {
  return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return text.starts_with(prefix); });
}

// Start-up code and thread trampolines: what calls main or a thread's entry.
bool has_trampoline(const StackFrame& frame) {
  static constexpr std::array exact = {"_start",       "clone",          "clone3",          "__clone",
                                       "__clone3",     "start_thread",   "thread_start",    "call_init",
                                       "_dl_init",     "_dl_start_user", "__libc_csu_init", "__GI___clone",
                                       "__GI___clone3"};
  static constexpr std::array prefixes = {"__libc_start_",
                                          "execute_native_thread_routine",
                                          "std::execute_native_thread_routine",
                                          "std::thread::_State_impl<",
                                          "std::thread::_Invoker<",
                                          "std::__invoke",
                                          "void std::__invoke",
                                          "void* std::__1::__thread_proxy"};
  return std::ranges::find(exact, frame.function) != exact.end() || starts_with_any(frame.function, prefixes);
}

bool has_system_path(std::string_view file) {
  static constexpr std::array prefixes = {"/usr/include/", "/usr/lib/", "/usr/local/include/c++/"};
  return starts_with_any(file, prefixes) || file.find("/include/c++/") != std::string_view::npos ||
         // Distributions build the C and C++ libraries in directories with these names.
         file.find("/glibc-") != std::string_view::npos ||
         file.find("/libstdc++-v3/") != std::string_view::npos;
}

bool has_runtime_module(std::string_view module) {
  static constexpr std::array prefixes = {"libc.so",     "libc-",  "libpthread", "libstdc++.so",
                                          "libgcc_s.so", "libc++", "ld-linux",   "libm.so"};
  return starts_with_any(file_name(module), prefixes);
}

} // namespace

bool has_runtime_code(const StackFrame& frame) {
  if (frame.function.starts_with("__footrace_") || frame.function == "footrace_call_then") return true;
  // The user may have a namespace of this name too; a known file tells.
  const std::string& file = frame.location.file;
  return frame.function.starts_with("footrace::") &&
         (file.empty() || file.find("/runtime/") != std::string::npos);
}

bool has_library_code(const StackFrame& frame) {
  if (has_runtime_module(frame.module)) return true;
  // A name alone proves nothing once the file is known: users may have a start_thread() of their own.
  if (!frame.location.file.empty()) return has_system_path(frame.location.file);
  static constexpr std::array prefixes = {"std::",        "__gnu_cxx::",     "__gthread",
                                          "operator new", "operator delete", "pthread_"};
  return has_trampoline(frame) || starts_with_any(frame.function, prefixes);
}

// The stack's size if there is none.
static std::size_t find_user_frame(const Stack& stack, std::size_t first) {
  while (first < stack.size() && has_library_code(stack[first])) ++first;
  return first;
}
static std::size_t find_user_frame(const Access& access) {
  return find_user_frame(access.stack, access.intercepted.empty() ? 0 : 1);
}

bool has_user_frame(const Access& access) { return find_user_frame(access) < access.stack.size(); }
std::size_t user_frame(const Access& access) { return has_user_frame(access) ? find_user_frame(access) : 0; }
std::size_t user_frame(const Stack& stack) {
  std::size_t found = find_user_frame(stack, 0);
  return found < stack.size() ? found : 0;
}

std::size_t visible_frames(const Stack& stack) {
  std::size_t count = stack.size();
  while (count > 0 && has_library_code(stack[count - 1])) --count;
  if (count > 0) return count;
  // Library code all the way, as in a thread that runs a member of a standard container: keep all but the
  // trampolines.
  count = stack.size();
  while (count > 1 && has_trampoline(stack[count - 1])) --count;
  return count;
}

} // namespace footrace::findings
