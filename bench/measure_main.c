// footrace-measure RESULT STDOUT STDERR SECONDS COMMAND...: runs a command and writes its wall time, CPU time, peak memory
// and exit code to RESULT. A program of its own, because the peak memory that the kernel reports for a child starts with
// the memory of the process that started it; this one is tiny.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kTimedOut = 124, kCannotStart = 127 };

static pid_t child;
static volatile sig_atomic_t timed_out;

static void on_alarm(int signal) {
  timed_out = signal == SIGALRM;
  kill(-child, SIGKILL);
}

static void redirect(int descriptor, const char* path) {
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (fd < 0 || dup2(fd, descriptor) < 0) {
    perror(path);
    _exit(kCannotStart);
  }
  close(fd);
}

static double seconds(struct timeval t) { return (double)t.tv_sec + (double)t.tv_usec * 1e-6; }

int main(int argc, char** argv) {
  if (argc < 6) {
    fprintf(stderr, "usage: %s RESULT STDOUT STDERR SECONDS COMMAND...\n", argv[0]);
    return 2;
  }
  struct timespec start, end;
  clock_gettime(CLOCK_MONOTONIC, &start);
  child = fork();
  if (child < 0) {
    perror("fork");
    return 1;
  }
  if (child == 0) {
    setpgid(0, 0);
    int input = open("/dev/null", O_RDONLY);
    if (input >= 0) dup2(input, STDIN_FILENO);
    redirect(STDOUT_FILENO, argv[2]);
    redirect(STDERR_FILENO, argv[3]);
    execvp(argv[5], argv + 5);
    fprintf(stderr, "cannot start %s: %s\n", argv[5], strerror(errno));
    _exit(kCannotStart);
  }
  struct sigaction action = {.sa_handler = on_alarm};
  sigaction(SIGALRM, &action, NULL);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  alarm((unsigned)atoi(argv[4]));

  int status = 0;
  struct rusage usage;
  while (wait4(child, &status, 0, &usage) < 0 && errno == EINTR) {
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  int code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  if (timed_out) code = kTimedOut;

  FILE* result = fopen(argv[1], "w");
  if (!result) {
    perror(argv[1]);
    return 1;
  }
  fprintf(result, "%.6f %.6f %ld %d\n",
          (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) * 1e-9,
          seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_maxrss, code);
  return fclose(result) ? 1 : 0;
}
