// The judge itself: wrong marks, wrong pairs and marks that were lost make a test fail, and say why.
// RUN: %exits 1 %e2e %S/Inputs/wrong_marks.c | %filecheck %s
// RUN: %exits 1 %e2e %S/Inputs/wrong_pairs.c | %filecheck --check-prefix=PAIRS %s
// RUN: %exits 2 %e2e %S/Inputs/joined_marks.c 2>&1 | %filecheck --check-prefix=JOINED %s
// CHECK-DAG: exit code 66, expected 0
// CHECK-DAG: missing: wrong_marks.c:18 is marked RACE, not reported
// CHECK-DAG: unexpected: wrong_marks.c:12 is reported, not marked
// CHECK-DAG: stderr does not match
// PAIRS-DAG: unexpected pair:{{.*}}wrong_pairs.c:9
// PAIRS-DAG: missing: the race labelled 'a'
// JOINED: the mark EXIT must start its line
