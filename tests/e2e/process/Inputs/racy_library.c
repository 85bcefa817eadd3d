// Loaded with dlopen: one function races on the library's own data, one on what it is given.
int library_global;

void race_inside(int value) {
  library_global = value; // RACE(inside)
}

void write_to(int* target) {
  *target = 1; // RACE(outside)
}
