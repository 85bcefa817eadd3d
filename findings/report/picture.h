// What a race looks like: threads as lanes, what each of them did about the other as moments in an order that the run allows, and the edges of the
// happens-before relation between them. The page draws it, `footrace explain` writes it. Invariant: every edge was seen in the run, none is guessed;
// that there is none from the earlier access to the later one is what makes it a race.
#pragma once

#include "findings/finding.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace footrace::findings {

struct Lane {
  std::string title; // "main thread", "T1 'worker'"
  std::string name;  // "main", "T1"
  std::optional<unsigned> thread;
  bool has_ended = false;
};

enum class MomentKind {
  Creates,   // edge
  HandsOver, // edge: a lock that one thread dropped and the other one took
  Earlier,   // edge: something that came before the earlier access
  Locks,
  Accesses,
  Joins,    // edge
  WaitsFor, // will be an edge
};

struct Moment {
  MomentKind kind = MomentKind::Accesses;
  std::size_t lane = 0;
  std::optional<std::size_t> to; // of an edge
  std::string label;             // short: the lock, the access
  std::string text;              // in words
  SourceLocation place;
  std::optional<std::size_t> access; // in Finding::accesses
};

struct Picture {
  std::vector<Lane> lanes;
  std::vector<Moment> moments; // from the first to the last
  std::string note;            // what is known beside them
  bool is_timed = false;       // they were seen in this order; otherwise either access may come first
};

// Of a finding with two accesses.
Picture picture_of(const Finding& finding);
// Whether it is an edge of the happens-before relation.
bool is_edge(MomentKind kind);
std::string_view to_text(MomentKind kind);

// Lines of at most 80 columns: a column for each lane, and what happens beside it.
std::vector<std::string> picture_lines(const Picture& picture);

} // namespace footrace::findings
