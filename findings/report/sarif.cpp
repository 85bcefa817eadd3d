// GitHub's code scanning shows the first location only and asks for primaryLocationLineHash, so the other access is a
// related location that the message links to, and the hash is the fingerprint. At most 25,000 results are taken.
#include "findings/report/writers.h"

#include "findings/frames.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

namespace footrace::findings {
namespace {

using llvm::json::OStream;

constexpr std::size_t most_results = 25000;
constexpr std::size_t most_frames = 64;

std::string utf8(std::string_view text) {
  return llvm::json::fixUTF8(llvm::StringRef(text.data(), text.size()));
}

// RFC 3986: what is not unreserved is written as %XX, also a colon, which would begin a scheme.
std::string as_uri(const std::string& path) {
  static constexpr std::string_view plain = "-._~/+";
  std::string uri;
  for (char c : path) {
    auto code = static_cast<unsigned char>(c);
    bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                    plain.find(c) != std::string_view::npos;
    if (is_plain)
      uri += c;
    else
      uri += {'%', "0123456789ABCDEF"[code >> 4], "0123456789ABCDEF"[code & 15]};
  }
  return path.starts_with('/') ? "file://" + uri : uri;
}

struct Rule {
  const char *name, *text, *help;
};

Rule rule_of(const std::string& id) {
  static const std::map<std::string, Rule> rules = {
      {"data-race",
       {"DataRace", "Two threads access the same memory without order, and one of them writes.",
        "In C++ a data race is undefined behaviour. Let one mutex protect every access of this memory, make "
        "it atomic, or order the accesses by creating and joining threads."}},
      {"heap-use-after-free",
       {"HeapUseAfterFreeRace", "Memory is given back while another thread may use it, without order.",
        "Let the memory live until the other thread is done with it: join the thread first, or let both own "
        "it."}},
      {"vptr-race",
       {"VptrRace", "A virtual call while a constructor or destructor of the object runs, without order.",
        "Let no thread use the object before its constructor is done or after its destructor has begun."}},
      {"unprotected-write",
       {"UnprotectedWrite", "A write without the lock that other accesses hold.",
        "Take the lock that the other access holds."}},
      {"read-write-race",
       {"ReadWriteRace", "A read that may run at the same time as a write.",
        "Take the lock that the write holds, also for reading."}},
      {"write-write-race",
       {"WriteWriteRace", "Two writes that may run at the same time.",
        "Let one mutex protect both writes, or make the variable atomic."}},
      {"wrong-lock",
       {"WrongLock", "Two accesses, each under a lock of its own.", "Let one lock protect both."}},
      {"write-with-shared-lock",
       {"WriteWithSharedLock", "A write while only a shared lock is held.",
        "Take the lock exclusively for writing."}},
  };
  auto at = rules.find(id);
  return at == rules.end() ? rules.at("data-race") : at->second;
}

class Sarif {
public:
  Sarif(const Report& report, const WriteOptions& options) : options_(options) {
    for (const Entry& entry : report.entries) {
      if (entry.state == State::Fixed || entries_.size() == most_results) continue;
      entries_.push_back(&entry);
      rules_.emplace(entry.finding.rule, 0);
    }
    std::size_t index = 0;
    for (auto& [rule, number] : rules_) number = index++;
  }

  void write(OStream& out) {
    out.object([&] {
      out.attribute("$schema", "https://json.schemastore.org/sarif-2.1.0.json");
      out.attribute("version", "2.1.0");
      out.attributeArray("runs", [&] { out.object([&] { run(out); }); });
    });
  }

private:
  void run(OStream& out) {
    out.attributeObject("tool", [&] {
      out.attributeObject("driver", [&] {
        out.attribute("name", "Footrace");
        out.attribute("fullName", "Footrace 0.1.0");
        out.attribute("semanticVersion", "0.1.0");
        out.attributeArray("rules", [&] {
          for (const auto& [id, number] : rules_) out.object([&] { rule(out, id); });
        });
      });
    });
    out.attribute("columnKind", "unicodeCodePoints");
    if (!options_.root.empty())
      out.attributeObject("originalUriBaseIds", [&] {
        out.attributeObject("SRCROOT", [&] { out.attribute("uri", as_uri(options_.root + "/")); });
      });
    out.attributeArray("results", [&] {
      for (const Entry* entry : entries_) out.object([&] { result(out, *entry); });
    });
  }

  static void text(OStream& out, llvm::StringRef key, const std::string& text) {
    out.attributeObject(key, [&] { out.attribute("text", utf8(text)); });
  }

  static void rule(OStream& out, const std::string& id) {
    Rule rule = rule_of(id);
    out.attribute("id", utf8(id));
    out.attribute("name", rule.name);
    text(out, "shortDescription", rule.text);
    text(out, "fullDescription", rule.text);
    text(out, "help", rule.help);
    out.attributeObject("properties", [&] {
      out.attributeArray("tags", [&] {
        out.value("correctness");
        out.value("concurrency");
        out.value("external/cwe/cwe-362");
      });
      out.attribute("precision", id == "data-race" ? "very-high" : "high");
    });
  }

  void result(OStream& out, const Entry& entry) {
    const Finding& finding = entry.finding;
    out.attribute("ruleId", utf8(finding.rule));
    out.attribute("ruleIndex", static_cast<std::int64_t>(rules_.at(finding.rule)));
    out.attribute("level", utf8(to_text(finding.level)));
    out.attributeObject("message", [&] { out.attribute("text", utf8(message(finding))); });
    const Access* primary = primary_access(finding);
    out.attributeArray("locations", [&] {
      if (primary)
        out.object([&] { location(out, primary->location, function_of(*primary), primary); });
      else // code scanning refuses a file that has a result without a location
        out.object([&] { location(out, {program_of(finding), 1, 0}, "an unknown function", nullptr); });
    });
    related(out, finding, primary);
    flows(out, finding);
    out.attributeObject("partialFingerprints", [&] {
      out.attribute("primaryLocationLineHash", utf8(finding.fingerprint) + ":1");
      out.attribute("footrace/v2", utf8(finding.fingerprint));
    });
    if (entry.state != State::Unknown)
      out.attribute("baselineState", entry.state == State::New ? "new" : "unchanged");
    if (!entry.suppressed.empty())
      out.attributeArray("suppressions", [&] {
        out.object([&] {
          out.attribute("kind", "external");
          out.attribute("justification", utf8(entry.suppressed));
        });
      });
    out.attributeObject("properties", [&] {
      out.attribute("evidence", utf8(evidence_text(finding)));
      out.attribute("confidence", utf8(to_text(finding.confidence)));
    });
  }

  // `[x](1)` is a link to related location 1, so brackets of a name must not look like one.
  static std::string without_links(std::string text) {
    for (std::size_t at = 0; at < text.size(); ++at)
      if (text[at] == '[' || text[at] == ']' || text[at] == '\\') text.insert(at++, "\\");
    return text;
  }

  static std::string message(const Finding& finding) {
    std::string title = without_links(rule_title(finding) + " on '" + subject_of(finding) + "'");
    if (title[0] >= 'a' && title[0] <= 'z') title[0] = static_cast<char>(title[0] - 'a' + 'A');
    if (finding.accesses.empty()) return title + ".";
    const Access* primary = primary_access(finding);
    std::string text = title + ": " +
                       without_links(use_text(primary ? *primary : finding.accesses[0]) + " in " +
                                     function_of(primary ? *primary : finding.accesses[0]) + " (" +
                                     locks_text(primary ? *primary : finding.accesses[0]) + ")");
    for (const Access& access : finding.accesses) {
      if (&access == primary || access.location.file.empty()) continue;
      text += ", without order to the [other " + without_links(use_text(access)) + "](1) in " +
              without_links(function_of(access) + " (" + locks_text(access) + ")");
      break;
    }
    return text + ".";
  }

  void artifact(OStream& out, const SourceLocation& place) {
    std::string path = relative_path(place.file, options_.root);
    out.attributeObject("artifactLocation", [&] {
      out.attribute("uri", as_uri(utf8(path)));
      if (!path.starts_with('/') && !options_.root.empty()) out.attribute("uriBaseId", "SRCROOT");
    });
  }

  // `access`: the one that is made there, if one is.
  void physical(OStream& out, const SourceLocation& place, const Access* access = nullptr) {
    out.attributeObject("physicalLocation", [&] {
      artifact(out, place);
      if (place.line == 0) return;
      const Excerpt* code = access && access->excerpt.lines.size() > 1 ? &access->excerpt : nullptr;
      if (code && (place.line < code->first || place.line - code->first >= code->lines.size()))
        code = nullptr;
      out.attributeObject("region", [&] {
        out.attribute("startLine", place.line);
        if (place.column != 0) out.attribute("startColumn", place.column);
        if (code) text(out, "snippet", code->lines[place.line - code->first]);
      });
      if (code) context(out, *code);
    });
  }

  static void context(OStream& out, const Excerpt& code) {
    std::string lines;
    for (const std::string& line : code.lines) lines += (lines.empty() ? "" : "\n") + line;
    out.attributeObject("contextRegion", [&] {
      out.attribute("startLine", code.first);
      out.attribute("endLine", static_cast<std::int64_t>(code.first + code.lines.size() - 1));
      text(out, "snippet", lines);
    });
  }

  // What a finding without lines is about.
  static std::string program_of(const Finding& finding) {
    for (const Access& access : finding.accesses)
      for (const StackFrame& frame : access.stack)
        if (!frame.module.empty()) return frame.module;
    return finding.program.empty() ? "unknown" : finding.program;
  }

  void location(OStream& out, const SourceLocation& place, const std::string& function,
                const Access* access) {
    physical(out, place, access);
    out.attributeArray("logicalLocations", [&] {
      out.object([&] {
        out.attribute("fullyQualifiedName", utf8(function));
        out.attribute("kind", "function");
      });
    });
  }

  void related(OStream& out, const Finding& finding, const Access* primary) {
    out.attributeArray("relatedLocations", [&] {
      std::int64_t id = 0;
      for (const Access& access : finding.accesses) {
        if (&access == primary || access.location.file.empty()) continue;
        out.object([&] {
          out.attribute("id", ++id);
          physical(out, access.location, &access);
          text(out, "message", "the other " + use_text(access) + ", in " + function_of(access));
        });
      }
      for (const ThreadInfo& thread : finding.threads) {
        if (thread.created.empty()) continue;
        const StackFrame& frame = thread.created[user_frame(thread.created)];
        if (frame.location.file.empty()) continue;
        out.object([&] {
          out.attribute("id", ++id);
          physical(out, frame.location);
          text(out, "message", "thread T" + std::to_string(thread.number) + " is created here");
        });
      }
    });
  }

  // Each access as a flow from the entry of its thread inwards: viewers step through it.
  void flows(OStream& out, const Finding& finding) {
    std::size_t with_stack = 0;
    for (const Access& access : finding.accesses) with_stack += has_place(access.stack);
    if (with_stack == 0) return;
    out.attributeArray("codeFlows", [&] {
      out.object([&] {
        text(out, "message", "the calls that lead to the two accesses");
        out.attributeArray("threadFlows", [&] {
          for (const Access& access : finding.accesses)
            if (has_place(access.stack)) out.object([&] { flow(out, finding, access); });
        });
      });
    });
  }

  static bool has_place(const Stack& stack) {
    for (const StackFrame& frame : stack)
      if (!frame.location.file.empty()) return true;
    return false;
  }

  void flow(OStream& out, const Finding& finding, const Access& access) {
    out.attribute(
        "id", utf8(thread_name(finding, access) + (&access == &finding.accesses[0] ? "" : ", the other")));
    out.attributeArray("locations", [&] {
      std::size_t count = std::min(visible_frames(access.stack), most_frames);
      for (std::size_t i = count; i-- > 0;) {
        const StackFrame& frame = access.stack[i];
        if (frame.location.file.empty()) continue;
        out.object([&] {
          out.attributeObject("location", [&] {
            physical(out, frame.location);
            text(out, "message", i == 0 ? use_text(access) : "calls, in " + frame.function);
          });
        });
      }
    });
  }

  const WriteOptions& options_;
  std::vector<const Entry*> entries_;
  std::map<std::string, std::size_t> rules_;
};

} // namespace

std::string write_report_sarif(const Report& report, const WriteOptions& options) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OStream out(stream, 1);
  Sarif(report, options).write(out);
  return text + '\n';
}

} // namespace footrace::findings
