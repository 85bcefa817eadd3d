#include "driver/prove_reading.h"

#include "findings/expression.h"
#include "findings/frames.h"
#include "findings/names.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace footrace::driver {
namespace {

using findings::Access;
using findings::Finding;

// "Bank::Bank", "Bank::~Bank"; a lambda in it is not it.
bool is_constructor_or_destructor(const std::string& function) {
  const std::string name = findings::plain_function(function);
  const std::size_t last = name.rfind("::");
  if (last == std::string::npos) return false;
  const std::string_view method = std::string_view(name).substr(last + 2);
  if (method.starts_with('~')) return true;
  const std::string_view scope = std::string_view(name).substr(0, last);
  return scope.substr(scope.rfind(':') + 1) == method; // npos + 1 is 0
}

bool is_at_birth_or_death(const Finding& pair) {
  return std::ranges::any_of(pair.accesses, [](const Access& access) {
    // With all it calls: what a constructor calls is as early.
    return std::ranges::any_of(access.stack, [](const findings::StackFrame& frame) {
      return !findings::has_library_code(frame) && is_constructor_or_destructor(frame.function);
    });
  });
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

using Names = std::map<std::string, std::string>; // of threads: the library's, and the user's

void rename(Finding& pair, findings::ThreadInfo& thread, const std::string& name) {
  replace_all(pair.explanation, thread.name, name);
  thread.name = name;
}

// The outermost function of the user's that the thread runs.
void name_thread(Finding& pair, const Access& access, Names& names) {
  if (!access.thread || *access.thread == 0) return;
  auto frame = std::find_if(access.stack.rbegin(), access.stack.rend(),
                            [](const findings::StackFrame& one) { return !findings::has_library_code(one); });
  if (frame == access.stack.rend()) return;
  for (findings::ThreadInfo& thread : pair.threads)
    // A name of the user's own, as a function given to pthread_create, is right already.
    if (thread.number == *access.thread && thread.name.starts_with("std::")) {
      const std::string name = findings::plain_function(frame->function);
      names.emplace(thread.name, name);
      rename(pair, thread, name);
    }
}

// Deep in the library a stack may not reach the user's function: another pair's has, or the library's name says what it was given.
void name_rest(Finding& pair, const Names& names) {
  constexpr std::string_view what = "std::tuple<";
  for (findings::ThreadInfo& thread : pair.threads) {
    if (!thread.name.starts_with("std::")) continue;
    const std::size_t begin = thread.name.find(what);
    if (auto known = names.find(thread.name); known != names.end())
      rename(pair, thread, known->second);
    else if (begin != std::string::npos)
      rename(pair, thread,
             thread.name.substr(begin + what.size(),
                                thread.name.find_first_of(",>", begin + what.size()) - begin - what.size()));
  }
}

// As the proof has them, but for these two.
void sort_for_readers(std::vector<Finding>& pairs) {
  std::vector<std::tuple<findings::Confidence, bool, std::size_t>> order;
  for (std::size_t i = 0; i < pairs.size(); i++)
    order.emplace_back(pairs[i].confidence, is_at_birth_or_death(pairs[i]), i);
  std::ranges::sort(order);
  std::vector<Finding> sorted;
  for (const auto& [confidence, is_last, number] : order) sorted.push_back(std::move(pairs[number]));
  pairs = std::move(sorted);
}

std::string demangled(const std::string& text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const bool begins = text.compare(at, 2, "_Z") == 0 && (at == 0 || text[at - 1] == ' ');
    if (!begins) {
      result += text[at++];
      continue;
    }
    std::size_t end = text.find_first_of(" ,;", at);
    if (end == std::string::npos) end = text.size();
    result += findings::readable_name(text.substr(at, end - at));
    at = end;
  }
  return result;
}

} // namespace

void make_readable(prove::Verdict& verdict) {
  findings::SourceLines source;
  Names names;
  for (Finding& pair : verdict.pairs) {
    findings::read_source(pair, source);
    for (const Access& access : pair.accesses) name_thread(pair, access, names);
  }
  for (Finding& pair : verdict.pairs) name_rest(pair, names);
  sort_for_readers(verdict.pairs);
  for (std::string& assumption : verdict.assumptions) assumption = demangled(assumption);
}

} // namespace footrace::driver
