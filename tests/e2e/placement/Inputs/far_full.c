// The other file of lto_full_sees_the_other_file.c: the same lines, so that its marks count.
#define FAR
#include "tests/e2e/placement/lto_full_sees_the_other_file.c"
