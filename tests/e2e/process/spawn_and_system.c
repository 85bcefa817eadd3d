// RUN: %e2e %s
// posix_spawn, vfork with exec, system and popen work from a program with threads.
// EXPECT-OUT: from popen
#include "e2e.h"
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static void* body(void* unused) {
  char* arguments[] = {(char*)"/bin/sh", (char*)"-c", (char*)"exit 4", NULL};
  pid_t child;
  int status;
  require(posix_spawn(&child, "/bin/sh", NULL, NULL, arguments, environ) == 0, "posix_spawn");
  waitpid(child, &status, 0);
  require(WEXITSTATUS(status) == 4, "the child's code");
  child = vfork();
  if (child == 0) {
    execv("/bin/sh", arguments);
    _exit(9);
  }
  waitpid(child, &status, 0);
  require(WEXITSTATUS(status) == 4, "the child's code");
  require(WEXITSTATUS(system("exit 5")) == 5, "system");
  return NULL;
}

int main(void) {
  join(start(body, NULL));
  FILE* pipe = popen("echo from popen", "r");
  char line[64];
  require(fgets(line, sizeof line, pipe) != NULL, "popen");
  fputs(line, stdout);
  pclose(pipe);
}
