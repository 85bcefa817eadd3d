// Fails when a file includes what its folder may not (layers.txt).
//   check_layers LAYERS ROOT
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace fs = std::filesystem;

namespace {

struct Layer {
  bool freestanding = false, may_use_llvm = false, may_use_all = false;
  std::set<std::string> folders; // itself included
};
using Layers = std::map<std::string, Layer>;

int problems = 0;

void problem(const std::string& where, const std::string& what) {
  std::cerr << where << ": " << what << '\n';
  problems++;
}

Layers read_layers(const fs::path& file) {
  Layers layers;
  std::ifstream input(file);
  if (!input) problem(file, "cannot be read");
  for (std::string line; std::getline(input, line);) {
    line = line.substr(0, line.find('#'));
    size_t colon = line.find(':');
    if (colon == std::string::npos) continue;
    std::string folder = line.substr(0, colon);
    Layer layer;
    layer.folders.insert(folder);
    std::istringstream words(line.substr(colon + 1));
    for (std::string word; words >> word;) {
      if (word == "freestanding")
        layer.freestanding = true;
      else if (word == "LLVM")
        layer.may_use_llvm = true;
      else if (word == "*")
        layer.may_use_all = true;
      else
        layer.folders.insert(word);
    }
    layers[folder] = layer;
  }
  return layers;
}

// What the runtime includes stays freestanding only if no freestanding folder includes another kind.
void check_table(const Layers& layers, const fs::path& file) {
  for (const auto& [name, layer] : layers) {
    for (const std::string& folder : layer.folders) {
      auto found = layers.find(folder);
      if (found == layers.end())
        problem(file, "'" + name + "' names '" + folder + "', which has no line");
      else if (layer.freestanding && !found->second.freestanding)
        problem(file, "'" + name + "' is freestanding but may include '" + folder + "', which is not");
    }
    if (layer.freestanding && (layer.may_use_llvm || layer.may_use_all))
      problem(file, "'" + name + "' is freestanding and cannot use LLVM or everything");
  }
}

// The longest folder of the table that holds the path; or the file itself.
std::optional<std::string> layer_of(const Layers& layers, const std::string& path) {
  std::optional<std::string> best;
  for (const auto& [name, layer] : layers)
    if ((path == name || path.starts_with(name + "/")) && (!best || name.size() > best->size())) best = name;
  return best;
}

bool is_source(const std::string& path) {
  for (const char* ending : {".cpp", ".h", ".c", ".def", ".inc", ".S"})
    if (path.ends_with(ending)) return true;
  return false;
}

// A folder that may be included may be so in every file.
bool may_include(const Layer& layer, const std::string& target) {
  return layer.folders.contains(target) ||
         (is_source(target) && layer.folders.contains(target.substr(0, target.rfind('/'))));
}

void check_include(const Layers& layers, const std::string& own, const std::string& where,
                   const std::string& header, bool angled) {
  const Layer& layer = layers.at(own);
  if (header.starts_with("llvm/") || header.starts_with("llvm-c/") || header.starts_with("clang/")) {
    if (!layer.may_use_llvm) problem(where, "'" + own + "' may not use LLVM: " + header);
    return;
  }
  if (angled) {
    if (layer.freestanding && !header.ends_with(".h"))
      problem(where, "'" + own + "' is freestanding and may not use libstdc++: <" + header + ">");
    return;
  }
  std::optional<std::string> target = layer_of(layers, header);
  if (!target) {
    if (layer.freestanding || header.find('/') != std::string::npos)
      problem(where, "'" + header + "' is in no folder of the table; includes are written from the root");
  } else if (!layer.may_use_all && !may_include(layer, *target)) {
    problem(where, "'" + own + "' may not include '" + *target + "': " + header);
  }
}

void check_file(const Layers& layers, const fs::path& root, const std::string& path) {
  std::optional<std::string> own = layer_of(layers, path);
  if (!own) return problem(path, "its folder has no line in the table");
  static const std::regex include(R"(^\s*#\s*include(?:_next)?\s*([<"])([^>"]+)[>"])");
  std::ifstream input(root / path);
  int number = 0;
  for (std::string line; std::getline(input, line);) {
    number++;
    std::smatch match;
    if (!std::regex_search(line, match, include)) continue;
    check_include(layers, *own, path + ":" + std::to_string(number), match[2], match[1] == "<");
  }
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: check_layers LAYERS ROOT\n";
    return 2;
  }
  Layers layers = read_layers(argv[1]);
  check_table(layers, argv[1]);

  // Programs under test and examples are the users' kind of code, not ours.
  const std::set<std::string> skipped = {"build", "examples", "docs", "cmake"};
  int files = 0;
  fs::path root = argv[2];
  for (const fs::directory_entry& top : fs::directory_iterator(root)) {
    std::string name = top.path().filename();
    if (!top.is_directory() || name.starts_with(".") || skipped.contains(name)) continue;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(top)) {
      std::string path = fs::relative(entry.path(), root);
      if (!entry.is_regular_file() || !is_source(path)) continue;
      std::string stem = entry.path().stem();
      if (stem.ends_with("_test")) continue;
      check_file(layers, root, path);
      files++;
    }
  }
  if (!files) problem(root, "no source files found");
  std::cout << files << " files checked, " << problems << " problems\n";
  return problems ? 1 : 0;
}
