// Another process has the memory as well.
// VERDICT: unknown
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void) {
  int* shared = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  int status;
  pid_t child = fork();
  if (child == 0) {
    *shared = 1;
    _exit(0);
  }
  *shared = 2;
  waitpid(child, &status, 0);
  return 0;
}
