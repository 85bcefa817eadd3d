// The check placement rules of BigFoot (TR CSTR201702, Fig. 7), one function per rule.
//
// A context H•A is a History and an Anticipated set at a program point. Every rule has a forward half, which takes the
// history over a statement and says what to check before it, and a backward half for the anticipated set. Contexts are sets
// of bits (placement/paths.h), so entailment H ⊢ p is inclusion and the meet of histories is intersection; boolean
// expressions and equalities (be, x = e) are not in H: ScalarEvolution has applied them when it made the keys.
//
// Deviations, all towards C and C++ (docs/decisions/007-placement.md):
//   - reads and writes are distinguished (section 5);
//   - code that may throw, not return, free or return twice counts as the end of the covering range: [CALL];
//   - loops that are not proved finite keep nothing pending across their back edge: [LOOP];
//   - what every iteration of a loop accesses is checked before it: Contexts::find_join_paths.
#pragma once

#include "facts/sync.h"
#include "placement/paths.h"

namespace footrace::bigfoot {

struct History {
  PathSet accesses; // p◁: accessed, with no release since
  PathSet checks;   // p∨: checked, with no release since
};
using Anticipated = PathSet; // p◇: will be accessed, with no acquire before

// Checks(H, A) = { p : p◁ ∈ H, H ⊬ p∨, H•A ⊬ p◇ }
PathSet checks(const History& history, const Anticipated& anticipated);
// Checks(H, H', A): the same for what H' has forgotten. Only the accesses of H' matter.
PathSet checks(const History& history, const PathSet& kept, const Anticipated& anticipated);

// check(C); acq(x)
PathSet acq(History& history);
void acq(Anticipated& anticipated);
// check(C); rel(x)
PathSet rel(History& history, const Anticipated& anticipated);
// x = e, x <- y, x = new c: the paths that mention x are `mentioning`. SSA values are fresh by construction, except that a loop
// defines them again.
void assign(History& history, const PathSet& mentioning);
void assign(Anticipated& anticipated, const PathSet& mentioning);
// [RENAME] on the edge into a block: what a phi or the next iteration of a loop defines again cannot be kept under its old
// name; C is what must be checked on the edge.
PathSet rename(History& history, const PathSet& mentioning);
void new_object(Anticipated& anticipated, const PathSet& mentioning);
// x = y.f, y.f = x, x = y[z], y[z] = x: `path` is y.f or y[z], `mentioning` what mentions x (null: nothing).
void read(History& history, const PathSet& path);
void read(Anticipated& anticipated, const PathSet& path, const PathSet* mentioning);
void write(History& history, const PathSet& path);
void write(Anticipated& anticipated, const PathSet& path);
void a_read(History& history, const PathSet& path);
void a_read(Anticipated& anticipated, const PathSet& path, const PathSet* mentioning);
void a_write(History& history, const PathSet& path);
void a_write(Anticipated& anticipated, const PathSet& path);
// check(C); x = y.m(z): by KillSetHistory(m) and KillSetAnticipated(m), which facts/sync.h derives from the effects.
PathSet call(History& history, const Anticipated& anticipated, Effects effects);
void call(Anticipated& anticipated, Effects effects);
// [IF] at the end of a branch: what the merged history has forgotten and nothing anticipates.
PathSet if_branch(History& history, const PathSet& merged, const Anticipated& out);
// [LOOP], C_in and C_back: `invariant` are the accesses of H_inv, `head` is what is anticipated at the loop's head.
PathSet loop_in(History& history, const PathSet& invariant, const Anticipated& head, bool endless);
PathSet loop_back(History& history, const PathSet& invariant, const Anticipated& head, bool endless);
// [STMT] s; check(C) at the end of a method or thread.
PathSet stmt(History& history);

} // namespace footrace::bigfoot
