// The commands that read whole sources and programs, scan and prove, and bench, which builds with proofs: a program of
// their own (libexec/footrace/footrace-analysis), because their libraries take several times as long to build as all that
// compiling, running and reporting needs. `footrace` hands them its command line.
#pragma once

#include "driver/commands.h"
#include "driver/compile.h"

namespace footrace::driver {

// Becomes footrace-analysis with these words; returns only on failure, with the exit code.
int forward_to_analysis(const Arguments& words);

int analyse_scan(const Arguments& arguments);  // scan.cpp
int analyse_prove(const Arguments& arguments); // prove.cpp
int analyse_bench(const Arguments& arguments); // bench/bench.cpp

// How --embed-summary is done where scan is part of the program; nullptr elsewhere.
using Embedder = int (*)(const Installation&, Language, const Compilation&, const Arguments&);
Embedder& embedder();

} // namespace footrace::driver
