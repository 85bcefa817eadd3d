// What a proof leaves, put into the order and the words in which a person reads it. Changes no pair's truth: only the order of
// pairs and the names of threads and assumptions.
#pragma once

#include "prove/verdict.h"

namespace footrace::driver {

// Reads the sources of the pairs, names their threads by the user's functions, demangles the assumptions, and moves pairs with an
// access in a constructor or destructor, which is nearly always before or after the threads, behind the others of their confidence.
void make_readable(prove::Verdict& verdict);

} // namespace footrace::driver
