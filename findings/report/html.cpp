// A page that needs nothing but itself: the findings as JSON, and a script that shows one of them at a time, so that
// thousands are as quick as ten. Frames, stacks and excerpts are stored once. Rule: what comes from findings is in the JSON
// only, with every "<" escaped, and the script makes text nodes of it; the page's policy allows no other source at all.
#include "findings/report/writers.h"

#include "findings/expression.h"
#include "findings/frames.h"
#include "findings/report/picture.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

namespace footrace::findings {
namespace {

constexpr const char* style =
#include "findings/report/page.css.inc"
    ;
constexpr const char* script =
#include "findings/report/page.js.inc"
#include "findings/report/picture.js.inc"
    ;

using llvm::json::OStream;

std::string utf8(std::string_view text) {
  return llvm::json::fixUTF8(llvm::StringRef(text.data(), text.size()));
}

// In a script element only "<" can end it; U+2028 and U+2029 end lines of older browsers' scripts.
std::string inside_script(const std::string& json) {
  std::string result;
  result.reserve(json.size() + json.size() / 16);
  for (std::size_t i = 0; i < json.size(); ++i) {
    if (json[i] == '<')
      result += "\\u003c";
    else if (json.compare(i, 2, "\xe2\x80") == 0 && i + 2 < json.size() &&
             (json[i + 2] == '\xa8' || json[i + 2] == '\xa9')) {
      result += json[i + 2] == '\xa8' ? "\\u2028" : "\\u2029";
      i += 2;
    } else
      result += json[i];
  }
  return result;
}

std::string escaped(std::string_view text) {
  std::string result;
  for (char c : text) {
    if (c == '<')
      result += "&lt;";
    else if (c == '&')
      result += "&amp;";
    else if (c == '"')
      result += "&quot;";
    else
      result += c;
  }
  return result;
}

std::size_t code_points(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
}

// Numbers things that are alike once.
class Table {
public:
  std::size_t number_of(std::string key) {
    auto [at, is_new] = numbers_.emplace(std::move(key), rows_.size());
    if (is_new) rows_.push_back(&at->first);
    return at->second;
  }
  // Rows are JSON already.
  void write(OStream& out, llvm::StringRef name) const {
    out.attributeArray(name, [&] {
      for (const std::string* row : rows_) out.rawValue(*row);
    });
  }

private:
  std::map<std::string, std::size_t> numbers_;
  std::vector<const std::string*> rows_;
};

std::string json_of(llvm::function_ref<void(OStream&)> write) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OStream out(stream);
  write(out);
  return text;
}

class Data {
public:
  Data(const Report& report, const WriteOptions& options)
      : report_(report), options_(options), groups_(groups_of(report)), group_of_(report.entries.size()) {
    for (std::size_t group = 0; group < groups_.size(); ++group) {
      group_of_[groups_[group].leader] = group;
      for (std::size_t other : groups_[group].others) group_of_[other] = group;
    }
  }

  std::string write() {
    // The tables are complete only after the findings.
    std::string findings = json_of([&](OStream& out) {
      out.array([&] {
        for (std::size_t number = 0; number < report_.entries.size(); ++number)
          out.object([&] { finding(out, number); });
      });
    });
    return json_of([&](OStream& out) {
      out.object([&] {
        frames_.write(out, "frames");
        stacks_.write(out, "stacks");
        excerpts_.write(out, "excerpts");
        out.attributeArray("runs", [&] {
          for (const PastRun& run : report_.runs)
            out.object([&] {
              out.attribute("time", utf8(run.time));
              out.attribute("commit", utf8(run.commit));
              number(out, "findings", run.findings);
              number(out, "added", run.added);
            });
        });
        out.attributeBegin("findings");
        out.rawValue(findings);
        out.attributeEnd();
      });
    });
  }

private:
  std::size_t frame(const StackFrame& frame) {
    return frames_.number_of(json_of([&](OStream& out) {
      out.object([&] {
        out.attribute("fn", utf8(frame.function));
        std::string place = to_text(SourceLocation{relative_path(frame.location.file, options_.root),
                                                   frame.location.line, frame.location.column},
                                    true);
        if (place.empty()) place = module_text(frame.module, frame.offset);
        out.attribute("at", utf8(place));
        if (has_library_code(frame)) out.attribute("library", true);
      });
    }));
  }

  std::size_t stack(const Stack& stack) {
    std::size_t count = visible_frames(stack);
    std::string row = "[";
    for (std::size_t i = 0; i < count; ++i) row += (i ? "," : "") + std::to_string(frame(stack[i]));
    return stacks_.number_of(row + "]");
  }

  void number(OStream& out, llvm::StringRef key, std::size_t value) {
    out.attribute(key, static_cast<std::int64_t>(value));
  }

  // Of a program there may be thousands.
  void same_memory(OStream& out, std::size_t number) {
    constexpr std::size_t most_same = 30;
    const Group& group = groups_[group_of_[number]];
    if (group.others.empty()) return;
    out.attributeArray("same", [&] {
      if (group.leader != number) out.value(static_cast<std::int64_t>(group.leader));
      for (std::size_t i = 0; i < std::min(group.others.size(), most_same); ++i)
        if (group.others[i] != number) out.value(static_cast<std::int64_t>(group.others[i]));
    });
    this->number(out, "sameCount", group.others.size());
  }

  void finding(OStream& out, std::size_t number_in_list) {
    const Entry& entry = report_.entries[number_in_list];
    const Finding& finding = entry.finding;
    same_memory(out, number_in_list);
    out.attribute("id", utf8(finding.fingerprint));
    out.attribute("subject", utf8(subject_of(finding)));
    out.attribute("title", utf8(rule_title(finding) + " on " + subject_of(finding)));
    out.attribute("rule", utf8(finding.rule));
    out.attribute("evidence", utf8(evidence_text(finding)));
    out.attributeArray("kinds", [&] {
      for (const Evidence& one : finding.evidence) out.value(utf8(to_text(one.kind)));
    });
    out.attribute("confidence", utf8(to_text(finding.confidence)));
    out.attribute("state", utf8(to_text(entry.state)));
    out.attribute("act", needs_action(report_, entry));
    out.attribute("sup", utf8(entry.suppressed));
    out.attribute("history", utf8(entry.history));
    out.attribute("isStatic", finding.part == "scan" || finding.part == "prove");
    if (finding.memory) memory(out, *finding.memory);
    out.attributeArray("acc", [&] {
      for (const Access& access : finding.accesses) out.object([&] { write_access(out, finding, access); });
    });
    out.attributeArray("threads", [&] {
      for (const ThreadInfo& thread : finding.threads)
        if (thread.number != 0) out.object([&] { write_thread(out, thread); });
    });
    if (finding.accesses.size() > 1)
      out.attributeObject("picture", [&] { picture(out, picture_of(finding)); });
    Advice advice = advice_for(report_, finding);
    if (finding.accesses.size() > 1 && entry.state != State::Fixed)
      out.attribute("advice", utf8(advice.text));
    out.attribute("lock", utf8(advice.lock));
    out.attributeArray("prot", [&] {
      std::vector<Protection> all = protections_of(report_, finding);
      if (std::ranges::none_of(all, &Protection::has_lock)) all.clear();
      for (const Protection& one : all) out.object([&] { protection(out, one); });
    });
    out.attributeArray("programs", [&] {
      for (const std::string& program : entry.programs) out.value(utf8(program));
    });
    out.attributeArray("places", [&] {
      for (const auto& pair : entry.places) {
        std::string text;
        for (const SourceLocation& place : pair) text += (text.empty() ? "" : " / ") + to_text(place, false);
        out.value(utf8(text));
      }
    });
    out.attribute("explanation", utf8(finding.explanation));
  }

  void memory(OStream& out, const Memory& memory) {
    static constexpr const char* regions[] = {"", "heap", "stack", "thread-local", "global"};
    std::string text = regions[static_cast<std::size_t>(memory.region)];
    if (memory.freed) text = "freed " + text;
    if (!memory.name.empty()) text += (text.empty() ? "" : " ") + memory.name;
    if (memory.size != 0) text += ", " + counted(memory.size, "byte");
    if (memory.begin != 0 && memory.address >= memory.begin)
      text += ", offset " + std::to_string(memory.address - memory.begin);
    out.attribute("memory", utf8(text));
    if (!memory.allocated.empty()) number(out, "allocated", stack(memory.allocated));
  }

  void write_access(OStream& out, const Finding& finding, const Access& access) {
    out.attribute("use", utf8(use_text(access)));
    out.attribute("size", access.size);
    if (access.thread) out.attribute("thread", *access.thread);
    out.attribute("who", utf8(thread_name(finding, access)));
    out.attribute("fn", utf8(function_of(access)));
    out.attribute("file", utf8(relative_path(access.location.file, options_.root)));
    out.attribute("line", access.location.line);
    out.attribute("col", access.location.column);
    out.attribute("expr", utf8(access.expression));
    if (access.use == "call" && !access.expression.empty()) out.attribute("isCall", true);
    out.attribute("lost", access.locks_lost);
    number(out, "stack", stack(access.stack));
    out.attributeArray("locks", [&] {
      for (const HeldLock& lock : access.locks)
        out.object([&] {
          out.attribute("name", utf8(lock_name(lock)));
          if (lock.mode == LockMode::Shared) out.attribute("shared", true);
          if (!lock.taken.empty()) number(out, "stack", stack(lock.taken));
        });
    });
    excerpt(out, access);
  }

  void excerpt(OStream& out, const Access& access) {
    const Excerpt& code = access.excerpt;
    if (code.lines.empty()) return;
    number(out, "excerpt", excerpts_.number_of(json_of([&](OStream& row) {
      row.object([&] {
        row.attribute("first", code.first);
        row.attributeArray("lines", [&] {
          for (const std::string& line : code.lines) row.value(utf8(line));
        });
      });
    })));
    if (access.location.line < code.first || access.location.line - code.first >= code.lines.size()) return;
    const std::string& line = code.lines[access.location.line - code.first];
    std::string_view known = access.expression;
    SourceUse use = read_use(line, access.location.column, known.substr(known.find_last_of(".:*") + 1));
    std::size_t first = use.first, length = use.length;
    if (use.expression.empty()) { // at least the letter that is meant
      first = access.location.column;
      length = 1;
    }
    if (first == 0 || first > line.size()) return;
    out.attributeArray("mark", [&] {
      out.value(static_cast<std::int64_t>(code_points(line.substr(0, first - 1))));
      out.value(static_cast<std::int64_t>(code_points(line.substr(first - 1, length))));
    });
  }

  void write_thread(OStream& out, const ThreadInfo& thread) {
    std::string title = "T" + std::to_string(thread.number);
    if (!thread.name.empty()) title += " '" + thread.name + "'";
    if (thread.finished) title += ", finished";
    if (thread.parent)
      title += *thread.parent == 0 ? ", created by main thread"
                                   : ", created by T" + std::to_string(*thread.parent);
    out.attribute("title", utf8(title));
    number(out, "stack", stack(thread.created));
    if (!thread.join.empty()) number(out, "join", stack(thread.join));
  }

  void picture(OStream& out, const Picture& picture) {
    out.attribute("timed", picture.is_timed);
    out.attribute("note", utf8(picture.note));
    out.attributeArray("lanes", [&] {
      for (const Lane& lane : picture.lanes)
        out.object([&] {
          out.attribute("title", utf8(lane.title));
          if (lane.has_ended) out.attribute("ended", true);
        });
    });
    out.attributeArray("moments", [&] {
      for (const Moment& moment : picture.moments) out.object([&] { write_moment(out, moment); });
    });
  }

  void write_moment(OStream& out, const Moment& moment) {
    out.attribute("kind", utf8(to_text(moment.kind)));
    number(out, "lane", moment.lane);
    if (moment.to) number(out, "to", *moment.to);
    if (moment.access) number(out, "access", *moment.access);
    out.attribute("label", utf8(moment.label));
    out.attribute("text", utf8(moment.text));
    std::string place = to_text(moment.place, false);
    if (!place.empty()) out.attribute("at", utf8(place));
  }

  void protection(OStream& out, const Protection& one) {
    out.attribute("fn", utf8(one.function));
    out.attribute("use", utf8(one.use));
    out.attribute("locks", utf8(one.locks));
    out.attribute("lock", one.has_lock);
    out.attribute("file", utf8(one.location.file));
    out.attribute("line", one.location.line);
  }

  const Report& report_;
  const WriteOptions& options_;
  std::vector<Group> groups_;
  std::vector<std::size_t> group_of_; // by number of the entry
  Table frames_, stacks_, excerpts_;
};

std::string summary_of(const Report& report) {
  std::string text = counted(report.entries.size() - count_of(report, State::Fixed), "finding") + " in " +
                     counted(report.files, "file") + ", " + std::to_string(count_needing_action(report)) +
                     " to act on";
  if (report.has_baseline)
    text += "; " + std::to_string(count_of(report, State::New)) + " new, " +
            std::to_string(count_of(report, State::Known)) + " known, " +
            std::to_string(count_of(report, State::Fixed)) + " fixed";
  for (const std::string& proof : report.proofs) text += "; " + proof;
  for (const std::string& rule : report.expired) text += "; suppression has expired: " + rule;
  return text;
}

} // namespace

std::string write_report_html(const Report& report, const WriteOptions& options) {
  std::string page = R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>Footrace findings</title>
<style>)";
  page += style;
  page += R"(</style>
</head>
<body>
<a class="skip" href="#detail">To the finding</a>
<header><h1>Footrace findings</h1><p>)" +
          escaped(utf8(summary_of(report))) + R"(</p><button id="theme" type="button">Theme</button></header>
<noscript><p>This page needs JavaScript; "footrace report --text -" prints the same list.</p></noscript>
<div class="panes">
<nav aria-label="findings">
<div class="filters" role="search">
<label class="wide">Search (key /)<input id="search" type="search" placeholder="function, file, variable, lock, ID"></label>
<label>Evidence<select id="evidence"><option value="">any</option></select></label>
<label>State<select id="state"><option value="">any</option><option value="act">needs action</option></select></label>
<label class="wide">Rule<select id="rule"><option value="">any</option></select></label>
</div>
<p class="shown" id="shown" role="status"></p>
<ul id="list"></ul>
<div id="trend"></div>
</nav>
<main id="detail" tabindex="-1" aria-label="finding"></main>
</div>
<script type="application/json" id="data">)";
  page += inside_script(Data(report, options).write());
  page += "</script>\n<script>";
  page += script;
  page += "</script>\n</body>\n</html>\n";
  return page;
}

} // namespace footrace::findings
