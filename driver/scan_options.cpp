#include "driver/scan_options.h"

#include "driver/messages.h"

#include "llvm/ADT/StringRef.h"

namespace footrace::driver {
namespace {

class Reader {
public:
  explicit Reader(const std::vector<std::string>& arguments) : arguments_(arguments) {}

  bool read() {
    while (i_ < arguments_.size()) {
      if (arguments_[i_] == "--") {
        options.flags.assign(arguments_.begin() + static_cast<std::ptrdiff_t>(i_) + 1, arguments_.end());
        break;
      }
      if (!take()) return false;
    }
    return is_consistent();
  }

  ScanOptions options;

private:
  bool wrong(const llvm::Twine& message) {
    usage_error(message + "; see 'footrace help scan'");
    return false;
  }

  // --name VALUE or --name=VALUE.
  bool value_of(llvm::StringRef name, std::string& value, bool& taken) {
    llvm::StringRef word = arguments_[i_];
    if (word == name) {
      if (i_ + 1 == arguments_.size()) return wrong("'" + name + "' needs a value");
      value = arguments_[i_ + 1];
      i_ += 2;
      return taken = true;
    }
    if (word.starts_with("--") && word.consume_front(name) && word.consume_front("=")) {
      value = word.str();
      ++i_;
      return taken = true;
    }
    return true;
  }

  bool mode(ScanMode mode) {
    if (options.mode != ScanMode::Project)
      return wrong("--unit, --merge and --list are commands of their own; give one");
    options.mode = mode;
    ++i_;
    return true;
  }

  bool take() {
    const std::string& word = arguments_[i_];
    if (word == "--unit") return mode(ScanMode::Unit);
    if (word == "--merge") return mode(ScanMode::Merge);
    if (word == "--list") return mode(ScanMode::List);
    if (word == "--no-cache") return ++i_, options.no_cache = true;
    if (word == "--dump-il") return ++i_, options.dump_il = true;
    if (word == "--windows") return ++i_, options.windows = true;
    if (word == "--stats") return ++i_, options.stats = true;
    if (word == "--witness") return ++i_, options.witnesses = "footrace-witnesses", true;
    if (llvm::StringRef folder = word; folder.consume_front("--witness=")) {
      if (folder.empty()) return wrong("'--witness=' needs a folder");
      return ++i_, options.witnesses = folder.str(), true;
    }

    bool taken = false;
    std::string domain, format, jobs, explain;
    struct {
      const char* name;
      std::string* value;
    } const with_value[] = {{"-p", &options.build},
                            {"-o", &options.output},
                            {"--depfile", &options.depfile},
                            {"--findings", &options.findings},
                            {"--cache", &options.cache},
                            {"--witness-flags", &options.witness_flags},
                            {"--explain", &explain},
                            {"--domain", &domain},
                            {"--format", &format},
                            {"-j", &jobs},
                            {"--jobs", &jobs}};
    for (const auto& [name, value] : with_value) {
      if (!value_of(name, *value, taken)) return false;
      if (taken && value == &explain) options.explain = explain;
      if (taken) return accept(domain, format, jobs);
    }
    if (llvm::StringRef(word).starts_with("-j")) return ++i_, accept("", "", word.substr(2));
    if (llvm::StringRef(word).starts_with("-"))
      return wrong("unknown option '" + llvm::Twine(word) + "' (flags of the compiler come after '--')");
    options.files.push_back(word);
    ++i_;
    return true;
  }

  bool accept(const std::string& domain, const std::string& format, const std::string& jobs) {
    if (domain == "ownership")
      options.domain = scan::domain::Domain::Ownership;
    else if (!domain.empty() && domain != "stability")
      return wrong("unknown domain '" + llvm::Twine(domain) + "'; there are stability and ownership");
    if (!format.empty() && format != "text" && format != "json")
      return wrong("unknown format '" + llvm::Twine(format) + "'; there are text and json");
    options.json |= format == "json";
    if (!jobs.empty() && (llvm::StringRef(jobs).getAsInteger(10, options.jobs) || options.jobs == 0))
      return wrong("'" + llvm::Twine(jobs) + "' is not a number of jobs");
    return true;
  }

  bool is_consistent() {
    if (options.mode == ScanMode::Unit && (options.files.size() != 1 || options.output.empty()))
      return wrong("--unit takes one source file and -o FILE");
    if (options.mode != ScanMode::Unit && !options.output.empty())
      return wrong("-o belongs to --unit; findings go to --findings FILE");
    if (options.mode != ScanMode::Unit && !options.depfile.empty())
      return wrong("--depfile belongs to --unit: it says which files the unit was made from");
    if (options.mode == ScanMode::List && options.build.empty())
      return wrong("--list prints the sources of -p BUILD-FOLDER");
    if (options.mode == ScanMode::Merge && options.files.empty())
      return wrong("--merge needs the unit files that 'footrace scan --unit' wrote");
    if (options.mode == ScanMode::Project && options.files.empty() && options.build.empty())
      return wrong("nothing to scan: give -p BUILD-FOLDER (with compile_commands.json), or source files");
    if (options.mode != ScanMode::Project && !options.witnesses.empty())
      return wrong("--witness compiles the sources: give them, or -p BUILD-FOLDER, not --unit or --merge");
    if (options.witnesses.empty() && !options.witness_flags.empty())
      return wrong("--witness-flags belongs to --witness: witnesses are linked with them");
    if (options.explain && options.explain->empty())
      return wrong("--explain needs the name of what is accessed, or a part of it, as reports print it");
    if (options.explain && (options.mode == ScanMode::Unit || options.mode == ScanMode::List || options.json))
      return wrong(
          "--explain says in words what becomes of accesses: not with --unit, --list or --format=json");
    if (!options.build.empty() && !options.flags.empty())
      return wrong("with -p the flags come from compile_commands.json; leave out '-- FLAGS'");
    return true;
  }

  const std::vector<std::string>& arguments_;
  size_t i_ = 0;
};

} // namespace

std::optional<ScanOptions> read_scan_options(const std::vector<std::string>& arguments) {
  Reader reader(arguments);
  if (!reader.read()) return std::nullopt;
  return std::move(reader.options);
}

} // namespace footrace::driver
