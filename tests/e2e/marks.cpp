#include "marks.h"

#include <fstream>
#include <functional>
#include <sstream>

namespace footrace::e2e {

std::string file_name(const std::string& path) { return path.substr(path.find_last_of('/') + 1); }

std::string folder_of(const std::string& path) {
  size_t slash = path.find_last_of('/');
  return slash == std::string::npos ? "." : path.substr(0, slash);
}

static void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

static std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> result;
  for (std::string word; in >> word;) result.push_back(word);
  return result;
}

static void append(std::vector<std::string>& to, const std::vector<std::string>& from) {
  to.insert(to.end(), from.begin(), from.end());
}

// `// RACE`, `// RACE(a,b)` or `// RACE(a,b) COVERED` at the end of a line of code.
static bool read_race_mark(const std::string& line, const Place& place, Marks& marks) {
  size_t at = line.find("// RACE");
  if (at == std::string::npos) return false;
  marks.racy.insert(place);
  std::string rest = line.substr(at + 7);
  if (rest.find(" COVERED") != std::string::npos) marks.covered.insert(place);
  if (rest.empty() || rest[0] != '(') return true;
  std::string labels = rest.substr(1, rest.find(')') - 1);
  replace_all(labels, ",", " ");
  for (const std::string& label : words(labels)) marks.labels[label].insert(place);
  return true;
}

std::string read_marks(const std::string& source, const std::string& scratch, Marks& marks) {
  const std::map<std::string, std::function<void(const std::string&)>> settings = {
      {"FLAGS", [&](const std::string& v) { append(marks.flags, words(v)); }},
      {"ARGS", [&](const std::string& v) { append(marks.arguments, words(v)); }},
      {"OPTIONS", [&](const std::string& v) { append(marks.options, words(v)); }},
      {"ENV", [&](const std::string& v) { append(marks.environment, words(v)); }},
      {"LEVELS", [&](const std::string& v) { marks.levels = words(v); }},
      {"LIBRARY", [&](const std::string& v) { marks.library = folder_of(source) + "/" + v; }},
      {"EXIT", [&](const std::string& v) { marks.exit_code = std::stoi(v); }},
      {"RUNS", [&](const std::string& v) { marks.runs = std::stoi(v); }},
      {"TIMEOUT", [&](const std::string& v) { marks.timeout_seconds = std::stoi(v); }},
      {"PINNED", [&](const std::string& v) { marks.pinned = v != "no"; }},
      {"EXPECT-TEXT", [&](const std::string& v) { marks.expected_text.push_back(v); }},
      {"REJECT-TEXT", [&](const std::string& v) { marks.rejected_text.push_back(v); }},
      {"EXPECT-OUT", [&](const std::string& v) { marks.expected_output.push_back(v); }},
      {"RUN", [](const std::string&) {}},
      {"REQUIRES", [](const std::string&) {}},
  };
  std::ifstream in(source);
  if (!in) return "cannot read " + source;
  unsigned number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (read_race_mark(line, {file_name(source), number}, marks)) continue;
    if (line.rfind("// ", 0) != 0) continue;
    // A formatter that joins comment lines would switch marks off silently.
    for (const auto& [name, apply] : settings)
      if (line.find(" " + name + ": ", 3) != std::string::npos)
        return source + ":" + std::to_string(number) + ": the mark " + name + " must start its line";
    size_t colon = line.find(": ");
    if (colon == std::string::npos) continue;
    std::string name = line.substr(3, colon - 3), value = line.substr(colon + 2);
    if (name.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ-") != std::string::npos) continue;
    auto setting = settings.find(name);
    if (setting == settings.end()) return source + ":" + std::to_string(number) + ": unknown mark " + name;
    replace_all(value, "%S", folder_of(source));
    replace_all(value, "%T", scratch);
    setting->second(value);
  }
  return "";
}

} // namespace footrace::e2e
