// Redundant check elimination of RedCard (ECOOP'13, Fig. 4): the rules for contexts Π, one function per rule, and the plan.
//
// Π is the set of paths that have been accessed in the current release-free span. An access whose path is in Π needs no check.
// Aliases and boolean constraints are in the names of the paths (placement/paths.h): must-alias addresses have one key. A
// variable that is assigned again is a Skolem variable afterwards, which no later path mentions: its paths are dropped.
// Reads and writes: a previous write makes both redundant, a previous read only reads (section 6).
#pragma once

#include "placement/steps.h"

namespace footrace::redcard {

using Context = PathSet; // Π

void acq(Context& context);
void rel(Context& context);                               // Π \ ALL
void assign(Context& context, const PathSet& mentioning); // also [NEW]: Π[x := w]
void read(Context& context, const PathSet& path, const PathSet* mentioning);
void write(Context& context, const PathSet& path);
void if_join(Context& context, const Context& other); // Π1 ⊓ Π2
// `modifies` of a callee: ALL if it may release.
void call(Context& context, Effects effects);

// [SEQ]: one step, with the effects of a call before what it ensures.
void step_over(Context& context, const Step& step, const Paths& paths);

// Preset redcard: checks at the accesses whose path is not available, and, instead of peeling a loop's first iteration, one
// check before a loop of what every iteration accesses under the same name.
void plan_available(Plan& plan, const Steps& steps, const Paths& paths, const FunctionAnalyses& analyses);

} // namespace footrace::redcard
