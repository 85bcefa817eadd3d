// The list that people read in a terminal: never wider than 80 columns, nothing that is not ASCII but names.
#include "findings/report/writers.h"

#include <algorithm>
#include <set>

namespace footrace::findings {
namespace {

constexpr std::size_t width = 80;

class TextReport {
public:
  TextReport(const Report& report, const WriteOptions& options) : report_(report), options_(options) {}

  std::string write() {
    line(summary(), bold);
    for (const std::string& proof : report_.proofs) paragraph(proof, 2, 2);
    std::size_t number = 0, left_out = 0;
    for (const Group& group : groups_of(report_)) {
      const Entry& entry = report_.entries[group.leader];
      if (!options_.all && !needs_action(report_, entry) && entry.state != State::Fixed) {
        left_out += 1 + group.others.size();
        continue;
      }
      write_entry(entry, ++number);
      if (options_.all)
        for (std::size_t other : group.others) write_entry(report_.entries[other], ++number);
      else
        write_others(group);
    }
    out_ += '\n';
    for (const std::string& rule : report_.expired) paragraph("suppression has expired: " + rule, 0, 2);
    for (const std::string& rule : report_.unused)
      paragraph("suppression of a finding that was not seen: " + rule, 0, 2);
    if (left_out != 0) line(counted(left_out, "finding") + " need no action; --all lists them", faint);
    if (number != 0) line("In words: footrace explain ID FILES...", faint);
    return std::move(out_);
  }

private:
  static constexpr const char *bold = "\033[1m", *faint = "\033[2m", *red = "\033[31m", *green = "\033[32m",
                              *plain = "";

  std::string summary() const {
    std::size_t findings = report_.entries.size() - count_of(report_, State::Fixed);
    std::string text = "footrace: " + counted(findings, "finding");
    if (report_.files != 0) text += " in " + counted(report_.files, "file");
    text += " (" + counted(report_.read, "report") + ")";
    const std::size_t groups = groups_of(report_).size();
    if (groups < report_.entries.size() && !report_.has_baseline)
      text += ", on " + counted(groups, "variable");
    if (report_.has_baseline)
      text += ": " + std::to_string(count_of(report_, State::New)) + " new, " +
              std::to_string(count_of(report_, State::Known)) + " known, " +
              std::to_string(count_of(report_, State::Fixed)) + " fixed";
    return text;
  }

  // Words that do not fit go to the next line; a word that fits no line loses its middle.
  void paragraph(const std::string& text, std::size_t first_indent, std::size_t indent,
                 const char* style = plain) {
    std::string current(first_indent, ' ');
    bool is_empty = true;
    std::size_t at = 0;
    const std::string clean = printable(text);
    while (at < clean.size()) {
      std::size_t end = std::min(clean.find(' ', at), clean.size());
      std::string word = shortened(clean.substr(at, end - at), width - indent);
      at = end + 1;
      if (word.empty()) continue;
      if (!is_empty && current.size() + 1 + word.size() > width) {
        line(current, style);
        current = std::string(indent, ' ');
        is_empty = true;
      }
      current += (is_empty ? "" : " ") + word;
      is_empty = false;
    }
    if (!is_empty) line(current, style);
  }

  void line(const std::string& text, const char* style = plain) {
    out_ += options_.color && *style ? style + text + "\033[0m" : text;
    out_ += '\n';
  }

  std::string state_of(const Entry& entry) const {
    std::string text;
    if (entry.state != State::Unknown) text = std::string(to_text(entry.state)) + ", ";
    if (!entry.suppressed.empty()) text += "suppressed, ";
    return text + evidence_text(entry.finding);
  }

  void write_entry(const Entry& entry, std::size_t number) {
    const Finding& finding = entry.finding;
    out_ += '\n';
    paragraph(std::to_string(number) + ". " + rule_title(finding) + " on " + subject_of(finding), 0, 3,
              entry.state == State::Fixed    ? green
              : needs_action(report_, entry) ? red
                                             : plain);
    paragraph("ID " + finding.fingerprint + "  " + state_of(entry), 3, 3, faint);
    for (const Access& access : finding.accesses) write_access(finding, access);
    if (!entry.history.empty()) paragraph(entry.history, 3, 5, faint);
    if (entry.places.size() > 1)
      paragraph("and at " + counted(entry.places.size() - 1, "more pair") + " of places", 3, 5, faint);
    if (entry.programs.size() > 1)
      paragraph("in " + std::to_string(entry.programs.size()) + " programs", 3, 5, faint);
    if (!entry.suppressed.empty()) paragraph("suppressed: " + entry.suppressed, 3, 5, faint);
    if (entry.state == State::Fixed || entry.finding.accesses.size() < 2) return;
    paragraph("suggestion: " + advice_for(report_, finding).text, 3, 5);
  }

  // What all of them rest on, if that is more than what the first one does.
  std::string together(const Group& group) const {
    std::set<EvidenceKind> first, all;
    for (const Evidence& one : report_.entries[group.leader].finding.evidence) first.insert(one.kind);
    all = first;
    for (std::size_t other : group.others)
      for (const Evidence& one : report_.entries[other].finding.evidence) all.insert(one.kind);
    std::string text;
    if (all != first)
      for (EvidenceKind kind : all) text += (text.empty() ? "" : ", ") + std::string(to_text(kind));
    return text.empty() ? text : " (all together: " + text + ")";
  }

  void write_others(const Group& group) {
    constexpr std::size_t most_others = 8;
    if (group.others.empty()) return;
    paragraph("and " + std::to_string(group.others.size()) + " more on this memory" + together(group) + ":",
              3, 5);
    for (std::size_t i = 0; i < group.others.size() && i < most_others; ++i) {
      const Finding& other = report_.entries[group.others[i]].finding;
      std::string text = other.fingerprint + "  ";
      for (const Access& access : other.accesses) {
        const std::string place =
            to_text(SourceLocation{access.location.file, access.location.line, 0}, false);
        text += (&access == &other.accesses[0] ? "" : " / ") + use_text(access) + " in " +
                function_of(access) + (place.empty() ? "" : ", " + place);
      }
      paragraph(text, 5, 7);
    }
    if (group.others.size() > most_others)
      paragraph("... and " + std::to_string(group.others.size() - most_others) + " (--all lists each)", 5, 7);
  }

  void write_access(const Finding& finding, const Access& access) {
    std::string place = to_text(SourceLocation{relative_path(access.location.file, options_.root),
                                               access.location.line, access.location.column},
                                false);
    if (place.empty()) place = "an unknown line";
    std::string by = access.thread ? " by " + thread_name(finding, access) : "";
    paragraph("- " + use_text(access) + " in " + function_of(access) + ", " + place + by + "; " +
                  locks_text(access),
              3, 5);
  }

  const Report& report_;
  const WriteOptions& options_;
  std::string out_;
};

} // namespace

std::string write_report_text(const Report& report, const WriteOptions& options) {
  return TextReport(report, options).write();
}

} // namespace footrace::findings
