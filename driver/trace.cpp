// `footrace trace`: looks at a trace, in any form that open_trace reads.
#include "driver/commands.h"
#include "driver/messages.h"
#include "events/feasibility.h"
#include "events/open_trace.h"
#include "events/std_export.h"
#include "events/text.h"
#include "events/trace_reader.h"
#include "events/trace_writer.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <array>
#include <functional>
#include <set>

namespace footrace::driver {
namespace {

struct TraceOptions {
  std::string action, file, output;
  u64 limit = ~u64(0);                      // events
  std::optional<std::pair<u64, u64>> range; // of addresses
  std::set<u32> threads;
  bool is_std = false;
};

bool number_of(llvm::StringRef text, u64& value) { return !text.empty() && !text.getAsInteger(0, value); }

// ADDRESS or ADDRESS+SIZE.
bool range_of(llvm::StringRef text, TraceOptions& options) {
  auto [first, second] = text.split('+');
  u64 begin = 0, size = 1;
  if (!number_of(first, begin) || (text.contains('+') && (!number_of(second, size) || !size))) return false;
  options.range = {begin, size};
  return true;
}

bool threads_of(llvm::StringRef text, TraceOptions& options) {
  llvm::SmallVector<llvm::StringRef, 8> words;
  text.split(words, ',');
  for (llvm::StringRef word : words) {
    word.consume_front("T");
    u64 number = 0;
    if (!number_of(word, number) || number > ~u32(0)) return false;
    options.threads.insert(u32(number));
  }
  return true;
}

// Returns 0, or the exit code after saying what is wrong.
int parse(const Arguments& arguments, TraceOptions& options) {
  const struct {
    const char *name, *needs;
    std::function<bool(llvm::StringRef)> take;
  } valued[] = {
      {"-o", "the name of a file", [&](auto v) { return options.output = v.str(), !v.empty(); }},
      {"--limit", "a number of events", [&](auto v) { return number_of(v, options.limit); }},
      {"--address", "an address, as 0x1234 or 0x1234+64", [&](auto v) { return range_of(v, options); }},
      {"--threads", "numbers of threads, as 0,2", [&](auto v) { return threads_of(v, options); }}};
  for (size_t i = 0; i < arguments.size(); ++i) {
    llvm::StringRef word = arguments[i];
    bool is_known = false;
    for (const auto& option : valued) {
      llvm::StringRef value = word;
      const bool is_joined = value.consume_front(option.name) && value.consume_front("=");
      if (word != option.name && !is_joined) continue;
      is_known = true;
      if (!is_joined) value = i + 1 < arguments.size() ? llvm::StringRef(arguments[++i]) : llvm::StringRef();
      if (!option.take(value))
        return usage_error(llvm::Twine("'") + option.name + "' needs " + option.needs + ", not '" + value +
                           "'");
    }
    if (is_known) continue;
    if (word == "--std")
      options.is_std = true;
    else if (word.starts_with("-") && word != "-")
      return usage_error("unknown option '" + word + "'; see 'footrace help trace'");
    else if (options.action.empty())
      options.action = word;
    else if (options.file.empty())
      options.file = word;
    else
      return usage_error("one trace at a time; '" + word + "' is another one");
  }
  if (options.action.empty())
    return usage_error("say what to do: footrace trace print|stat|slice|validate FILE");
  if (options.file.empty())
    return usage_error("no trace given; usage: footrace trace " + options.action + " FILE");
  return 0;
}

// -- Reading

int tell_error(const TraceError& error) { return usage_error(error.where + ": " + error.reason); }

int for_each_event(const TraceOptions& options, EventSource& source,
                   const std::function<bool(const Event&)>& fn) {
  u64 left = options.limit;
  for (Event e; left && source.next(e); --left)
    if (!fn(e)) return 0;
  if (source.error()) return tell_error(*source.error());
  if (auto why = source.unfinished(); left && !why.empty())
    note("'" + options.file + "' is not all of the run: " + why);
  return 0;
}

// The innermost function that the source knows; of a library call, the call.
std::string place_of(const EventSource& source, u32 number) {
  const TraceSite* site = number ? source.site(number) : nullptr;
  if (!site || site->frames.empty()) return {};
  const TraceFrame& f = site->frames.front();
  std::string text = f.function;
  if (!text.empty()) text += ' ';
  for (const TraceFrame& place : site->frames)
    if (!place.file.empty())
      return text + place.file + ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
  const TraceFrame& place = site->frames.back();
  return place.module.empty() ? text : text + place.module + "+0x" + llvm::utohexstr(place.offset, true);
}

// -- The actions

int print(const TraceOptions& options, EventSource& source) {
  std::string line;
  return for_each_event(options, source, [&](const Event& e) {
    line.clear();
    if (options.is_std) {
      append_std(e, line);
    } else {
      line = to_text(e);
      if (auto place = place_of(source, e.site); !place.empty()) line += "  # " + place;
      line += '\n';
    }
    llvm::outs() << line;
    return !llvm::outs().has_error();
  });
}

int print_statistics(const TraceOptions& options, EventSource& source) {
  std::array<u64, kEventKinds> kinds{};
  std::map<u32, u64> threads;
  u64 events = 0;
  if (int code = for_each_event(options, source, [&](const Event& e) {
        ++events, ++kinds[u32(e.kind)], ++threads[e.thread];
        return true;
      }))
    return code;
  llvm::raw_ostream& out = llvm::outs();
  if (auto program = source.program(); !program.empty()) out << "program  " << program << '\n';
  out << "events   " << events << '\n';
  if (auto* reader = dynamic_cast<const TraceReader*>(&source)) {
    const TraceReader::Counts& c = reader->counts();
    out << "blocks   " << c.blocks << ", " << c.stored << " bytes";
    if (c.events)
      out << llvm::format(", %.2f per event (%.2f before zstd)", double(c.stored) / double(c.events),
                          double(c.raw) / double(c.events));
    out << '\n';
  }
  out << "threads  " << threads.size() << '\n';
  for (auto [thread, count] : threads) out << "  T" << thread << "  " << count << '\n';
  out << "kinds\n";
  for (u32 k = 0; k < kEventKinds; ++k)
    if (kinds[k]) out << "  " << name_of(EventKind(k)) << "  " << kinds[k] << '\n';
  return 0;
}

int validate(const TraceOptions& options, EventSource& source) {
  Feasibility state;
  std::string wrong;
  u64 events = 0;
  int code = for_each_event(options, source, [&](const Event& e) {
    if (wrong = state.why_not(e); !wrong.empty()) {
      wrong = "event " + std::to_string(events) + ", " + to_text(e) + ", cannot happen: " + wrong;
      return false;
    }
    state.append(e);
    ++events;
    return true;
  });
  if (!wrong.empty()) return usage_error("'" + options.file + "': " + wrong);
  if (!code) llvm::outs() << options.file << ": " << events << " events, each possible where it stands\n";
  return code;
}

// Numbers of stacks in another file, where each is its caller's and one more call.
class StackCopier {
public:
  u32 copy(const EventSource& from, u32 number, TraceWriter& to) {
    const std::vector<u32>* sites = number ? from.stack(number) : nullptr;
    u32 stack = 0;
    for (size_t i = sites ? sites->size() : 0; i-- > 0;) {
      auto [found, is_new] = numbers_.try_emplace({stack, (*sites)[i]}, u32(numbers_.size()) + 1);
      if (is_new) to.stack(found->second, stack, (*sites)[i]), copy_site(from, (*sites)[i], to);
      stack = found->second;
    }
    return stack;
  }
  void copy_site(const EventSource& from, u32 number, TraceWriter& to) {
    if (!number || !sites_.insert(number).second) return;
    if (const TraceSite* site = from.site(number)) to.site(number, *site);
  }

private:
  std::map<std::pair<u32, u32>, u32> numbers_; // of caller and site
  std::set<u32> sites_;
};

bool is_wanted(const TraceOptions& options, const Event& e) {
  if (has_stamp(e.kind)) return true; // what orders the rest
  if (!options.threads.empty() && !options.threads.contains(e.thread)) return false;
  return !options.range || (e.target < options.range->first + options.range->second &&
                            options.range->first < e.target + e.extent);
}

int slice(const TraceOptions& options, EventSource& source) {
  if (options.output.empty()) return usage_error("'slice' needs '-o FILE', the trace to write");
  if (options.output == options.file) return usage_error("a slice cannot take the place of its trace");
  std::string why;
  auto writer = TraceWriter::create(options.output, {.every_event_has_stamp = true}, why);
  if (!writer) return usage_error(why);
  writer->program(source.program());
  if (auto* reader = dynamic_cast<const TraceReader*>(&source))
    for (const TraceModule& module : reader->modules()) writer->module(module);
  StackCopier names;
  std::set<u32> threads;
  int code = for_each_event(options, source, [&](Event e) {
    if (!is_wanted(options, e)) return true;
    if (threads.insert(e.thread).second)
      if (const TraceThread* thread = source.thread(e.thread)) writer->thread(e.thread, *thread);
    names.copy_site(source, e.site, *writer);
    e.stack = names.copy(source, e.stack, *writer);
    writer->append(e);
    return writer->error().empty();
  });
  writer->finish(source.unfinished());
  if (!writer->error().empty()) return failure(writer->error());
  if (!code) note("'" + options.output + "': " + std::to_string(writer->events()) + " events");
  return code;
}

} // namespace

int command_trace(const Arguments& arguments) {
  TraceOptions options;
  if (int code = parse(arguments, options)) return code;
  const struct {
    const char* name;
    int (*run)(const TraceOptions&, EventSource&);
  } actions[] = {{"print", print}, {"stat", print_statistics}, {"slice", slice}, {"validate", validate}};
  for (const auto& action : actions) {
    if (options.action != action.name) continue;
    TraceError error;
    std::unique_ptr<EventSource> source = open_trace(options.file, error);
    return source ? action.run(options, *source) : tell_error(error);
  }
  return usage_error("'footrace trace' cannot '" + options.action +
                     "'; it can print, stat, slice and validate");
}

} // namespace footrace::driver
