// The accesses that pairing compares. Two overlap only if one path is the other, or a part of it with no pointer in between
// (must_overlap): each is compared with those to its own place and to the objects around it, not with all others.
#pragma once

#include "scan/domain/accesses.h"
#include "scan/il/il.h"

#include <map>
#include <string>
#include <vector>

namespace footrace::scan::domain {

// What pairing asks of a method for every pair.
struct MethodFacts {
  std::string own_thread;      // why it runs on one; empty: it has none
  std::vector<il::Name> loops; // Concurrency::loops_of()
  bool for_others = false;     // Concurrency::is_for_others()
};

struct Side {
  const il::Method* method = nullptr;
  AccessKey access;
  AccessPlace place;
  const MethodFacts* facts = nullptr;
  const il::Method* names = nullptr; // has the formals that its paths start at: of a thread, not what it runs
};

bool is_write(const Side& side);
bool has_lock(const Side& side);

struct Candidate {
  Side side;
  il::Name object_class; // of the object that the path starts at; empty for a global
  bool alone = false;    // nobody else is there: it sets up, or there is one thread
  bool in_order = false; // with the threads of its method, but for those that are running there
  bool is_given = false; // the object is not `this`, but an argument
  bool of_main =
      false; // made by the main thread, of a global, in a program with all its threads: not compared with its like
};

class Candidates {
public:
  // What is of the main thread comes after all else: it is kept only if it meets something.
  void add(Candidate candidate);
  // Every two of which one writes, once; a write also with itself. What is visited stays where it is.
  template <class Visit> void each_pair(Visit visit) const {
    for (const auto& [path, place] : places_) {
      const Accessed &others = place.others, &main = place.main;
      for (std::size_t i = 0; i < others.writes.size(); ++i)
        for (std::size_t j = i; j < others.writes.size(); ++j) visit(others.writes[i], others.writes[j]);
      each_of(others.writes, others.reads, visit);
      each_meeting(others, main, visit);
      for (const Place* around : objects_around(path)) {
        each_meeting(others, around->others, visit);
        each_meeting(others, around->main, visit);
        each_meeting(main, around->others, visit);
      }
    }
  }

private:
  struct Accessed {
    std::vector<Candidate> writes, reads;
  };
  struct Place {
    Accessed others, main; // by whom
  };
  template <class Visit>
  static void each_of(const std::vector<Candidate>& some, const std::vector<Candidate>& others, Visit visit) {
    for (const Candidate& a : some)
      for (const Candidate& b : others) visit(a, b);
  }
  template <class Visit> static void each_meeting(const Accessed& a, const Accessed& b, Visit visit) {
    each_of(a.writes, b.writes, visit);
    each_of(a.writes, b.reads, visit);
    each_of(a.reads, b.writes, visit);
  }
  std::vector<const Place*> objects_around(il::Path path) const;
  bool may_meet_others(const il::Path& path) const;

  std::map<il::Path, Place> places_; // by path, whichever formal it starts at
};

// With the name that the method has for the formal: paths that only differ in it are kept once.
std::string describe(const il::Path& path, const il::Method& method);
std::string describe_access(const Side& side);

// Without what pairing does not look at: accesses that differ only in that are one.
Accesses without_history(const Accesses& accesses);

} // namespace footrace::scan::domain
