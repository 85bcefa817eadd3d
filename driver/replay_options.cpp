#include "driver/replay_options.h"

#include "detectors/all.h"
#include "driver/messages.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>

namespace footrace::driver {
namespace {

using detectors::Description;
using detectors::Guarantee;

std::string known_detectors() {
  std::string names;
  for (const Description& d : detectors::all_detectors())
    names += (names.empty() ? "" : ", ") + std::string(d.name);
  return names;
}

class Parser {
public:
  Parser(const Arguments& arguments, ReplayOptions& options) : arguments_(arguments), options_(options) {}

  int parse() {
    for (at_ = 0; at_ < arguments_.size() && !code_; ++at_) take();
    return code_ ? code_ : check();
  }

private:
  int wrong(const llvm::Twine& message) {
    return code_ = usage_error(message + "; see 'footrace help replay'");
  }

  void take() {
    const std::string& word = arguments_[at_];
    std::string value;
    if (word == "--merge")
      options_.merge = true;
    else if (word == "--stats")
      options_.table = true;
    else if (word == "--no-times")
      options_.times = false;
    else if (word == "--writes-read")
      options_.writes_read = true;
    else if (word == "--quiet")
      options_.text = false;
    else if (take_value("--detector", value))
      take_detectors(value);
    else if (take_value("--findings", options_.findings) || take_number("--shards", shards_) ||
             take_number("--shard", shard_))
      ;
    else if (word.size() > 1 && word.starts_with("-") && !code_)
      wrong("unknown option '" + word + "'");
    else
      options_.files.push_back(word);
  }

  bool take_value(const std::string& name, std::string& value) {
    llvm::StringRef word = arguments_[at_];
    if (word.consume_front(name + "="))
      value = word.str();
    else if (word == name)
      value = at_ + 1 < arguments_.size() ? arguments_[++at_] : "";
    else
      return false;
    if (value.empty()) wrong("'" + name + "' needs a value");
    return true;
  }

  bool take_number(const std::string& name, std::optional<u32>& number) {
    std::string text;
    if (!take_value(name, text)) return false;
    u32 value = 0;
    if (!code_ && llvm::StringRef(text).getAsInteger(10, value))
      wrong("'" + name + "' needs a number, not '" + text + "'");
    number = value;
    return true;
  }

  void take_detectors(const std::string& names) {
    if (code_) return;
    llvm::SmallVector<llvm::StringRef> words;
    llvm::StringRef(names).split(words, ',');
    for (llvm::StringRef word : words) {
      if (word.contains(':')) {
        take_composition(word);
      } else if (word == "all") {
        for (const Description& d : detectors::all_detectors())
          if (d.name != llvm::StringRef("TL")) add(d); // a prefilter only
        options_.table = true;
      } else if (const Description* d = detectors::find_detector(word)) {
        add(*d);
      } else {
        wrong("there is no detector '" + word + "'; known are " + known_detectors() + " and all");
        return;
      }
    }
  }

  // PREFILTER:CHECKER, each of them also "all".
  void take_composition(llvm::StringRef word) {
    const auto [first, second] = word.split(':');
    std::vector<const Description*> prefilters;
    std::vector<const detectors::CheckerDescription*> checkers;
    if (first == "all")
      for (const char* name : {"", "TL", "Eraser", "DJIT+", "FastTrack"})
        prefilters.push_back(*name ? detectors::find_detector(name) : nullptr);
    else if (const Description* d = detectors::find_detector(first); d || first == "None")
      prefilters = {d};
    if (second == "all")
      for (const auto& c : detectors::all_checkers()) checkers.push_back(&c);
    else if (const auto* c = detectors::find_checker(second))
      checkers = {c};
    if (prefilters.empty() || checkers.empty()) {
      wrong("'" + word + "' is not PREFILTER:CHECKER; prefilters are None, " + known_detectors() +
            " and all, checkers Atomizer, Velodrome, SingleTrack and all");
      return;
    }
    options_.table |= first == "all";
    for (const auto* c : checkers)
      for (const auto* p : prefilters) {
        // Atomizer has Eraser inside already (the paper's footnote 7).
        const bool is_pointless =
            p && p->name == llvm::StringRef("Eraser") && c->name == llvm::StringRef("Atomizer");
        if (!is_pointless || first != "all") options_.compositions.push_back({p, c});
      }
  }

  void add(const Description& d) {
    if (std::find(options_.detectors.begin(), options_.detectors.end(), &d) == options_.detectors.end())
      options_.detectors.push_back(&d);
  }

  int check() {
    if (options_.merge) {
      if (options_.files.empty())
        return wrong("'--merge' needs the files that the shards wrote with --findings");
      if (!options_.detectors.empty() || !options_.compositions.empty() || shards_ || shard_)
        return wrong("'--merge' joins findings; it runs no detector and knows no shards");
      return 0;
    }
    if (options_.files.empty()) return wrong("which trace? usage: footrace replay TRACE --detector=NAME");
    if (options_.files.size() > 1)
      return wrong("one trace at a time, not '" + options_.files[1] + "' as well");
    if (options_.files[0] == "-")
      return wrong("a trace with races is read twice, so standard input will not do; write it to a file");
    if (options_.detectors.empty() && options_.compositions.empty())
      options_.detectors = {detectors::find_detector("FastTrack")};
    return check_shards();
  }

  int check_shards() {
    if (!shards_ && !shard_) return 0;
    if (!shards_ || !shard_) return wrong("'--shards N' and '--shard I' belong together");
    if (*shards_ == 0 || *shard_ >= *shards_)
      return wrong("'--shard' is a number from 0 to the number of shards less one");
    if (!options_.compositions.empty())
      return wrong("a composition needs all of the trace; run it without --shards");
    for (const Description* d : options_.detectors)
      if (d->guarantee == Guarantee::Predictive && *shards_ > 1)
        return wrong("'" + llvm::Twine(d->name) +
                     "' needs all writes of the trace, so it cannot be shared out by address; run it without "
                     "--shards");
    options_.partition = {*shards_, *shard_};
    return 0;
  }

  const Arguments& arguments_;
  ReplayOptions& options_;
  std::optional<u32> shards_, shard_;
  size_t at_ = 0;
  int code_ = 0;
};

} // namespace

int parse_replay_options(const Arguments& arguments, ReplayOptions& options) {
  return Parser(arguments, options).parse();
}

} // namespace footrace::driver
