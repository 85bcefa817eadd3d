// Options reach the plugin both ways, loading it twice registers them once, and a wrong value is an error.
// RUN: %clang -O1 -c %s -o %t.o -mllvm -footrace-stats 2>&1 | FileCheck %s --check-prefix=STATS
// RUN: %clang -O1 -c %s -o %t.o -Xclang -load -Xclang %plugin -mllvm -footrace-stats 2>&1 | FileCheck %s --check-prefix=STATS
// RUN: %clang -O1 -c %s -o %t.o -fpass-plugin=%plugin -mllvm -footrace-preset=fasttrack -mllvm -footrace-stats 2>&1 | FileCheck %s --check-prefix=STATS
// RUN: not %clang -O1 -c %s -o %t.o -mllvm -footrace-preset=fastrack 2>&1 | FileCheck %s --check-prefix=PRESET
// STATS: footrace: checks of {{.*}}options.c
// STATS-NEXT: 2 accesses seen
// STATS-NEXT: 1 checked: read
// STATS-NEXT: 1 checked: write
// STATS-NEXT: ms of analysis in 1 function, and 0.00 ms for
// PRESET: error: footrace: unknown preset 'fastrack' in -footrace-preset; known presets: fasttrack, redcard, slimstate, slimcard, bigfoot
void increment(int *p) { ++*p; }
