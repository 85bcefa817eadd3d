extern int shared;
static void inner(int* p) { ++*p; }
void far_away(int* p) { inner(p); }
