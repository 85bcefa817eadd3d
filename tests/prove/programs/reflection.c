// Functions found by name are not followed.
// VERDICT: unknown
#include <dlfcn.h>

int main(void) {
  void (*function)(void) = (void (*)(void))dlsym(RTLD_DEFAULT, "function");
  if (function) function();
  return 0;
}
