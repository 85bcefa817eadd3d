// A library whose memset is not judged when called_from_lib: names it.
#include <string.h>

void fill(char* target, size_t size, int value) { memset(target, value, size); }
