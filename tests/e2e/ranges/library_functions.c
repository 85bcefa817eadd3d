// RUN: %e2e %s
// What functions of the C library read and write of their caller's memory is checked.
// FLAGS: -fno-builtin
#include "e2e.h"
#include <arpa/inet.h>
#include <iconv.h>
#include <math.h>
#include <netdb.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/times.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

static struct InvisibleGate gate;
static FILE *null, *zero, *text;

char printed[32], limited[32], printed_string[8] = "abc", put[8] = "abc", put_line[8] = "abc",
                               sent[8] = "abc", got[8], line[64];
char* whole_line;
size_t line_size;
int scanned, counted;
char scanned_text[16], time_text[32], path[4096], directory[4096], address_text[64], error_text[64],
    tokens[16] = "a,b";
char host[64] = "127.0.0.1", name[1025] = "/", *next_token, converted_from[4] = "abc", converted_to[8];
struct tm local, utc;
time_t now, seconds = 1000;
struct timespec clock_now;
struct stat file;
int exponent, status, policy;
struct in_addr address;
wchar_t wide[8];
sigset_t set;
struct sched_param parameters;
struct tms used;
struct rusage usage;
struct addrinfo* found;

static void* first(void* unused) {
  sprintf(printed, "%d", 5);                                              // RACE(sprintf)
  snprintf(limited, 6, "%s", "abcdefgh");                                 // RACE(snprintf)
  fprintf(null, "%s", printed_string);                                    // RACE(fprintf)
  fputs(put, null);                                                       // RACE(fputs)
  puts(put_line);                                                         // RACE(puts)
  fwrite(sent, 1, 3, null);                                               // RACE(fwrite)
  KEEP(fread(got, 2, 3, zero));                                           // RACE(fread)
  KEEP(fgets(line, sizeof line, text));                                   // RACE(fgets)
  KEEP(getline(&whole_line, &line_size, text));                           // RACE(getline)
  KEEP(sscanf("12 word", "%d %15s%n", &scanned, scanned_text, &counted)); // RACE(sscanf)
  localtime_r(&seconds, &local);                                          // RACE(localtime)
  gmtime_r(&seconds, &utc);                                               // RACE(gmtime)
  struct tm own = {0};
  strftime(time_text, sizeof time_text, "%Y", &own); // RACE(strftime)
  time(&now);                                        // RACE(time)
  clock_gettime(CLOCK_MONOTONIC, &clock_now);        // RACE(clock_gettime)
  KEEP(stat("/", &file));                            // RACE(stat)
  KEEP(realpath(name, path));                        // RACE(realpath)
  KEEP(getcwd(directory, sizeof directory));         // RACE(getcwd)
  frexp(8, &exponent);                               // RACE(frexp)
  inet_pton(AF_INET, "127.0.0.1", &address);         // RACE(inet_pton)
  struct in_addr loopback = {0x100007f};
  inet_ntop(AF_INET, &loopback, address_text, sizeof address_text); // RACE(inet_ntop)
  KEEP(strerror_r(12345, error_text, sizeof error_text));           // RACE(strerror_r)
  KEEP(mbstowcs(wide, "abc", 8));                                   // RACE(mbstowcs)
  sigemptyset(&set);                                                // RACE(sigemptyset)
  pthread_getschedparam(pthread_self(), &policy, &parameters);      // RACE(schedparam)
  strtok_r(tokens, ",", &next_token);                               // RACE(strtok_r)
  times(&used);                                                     // RACE(times)
  struct addrinfo hints = {.ai_flags = AI_NUMERICHOST};
  KEEP(getaddrinfo(host, NULL, &hints, &found)); // RACE(getaddrinfo)
  iconv_t conversion = iconv_open("UTF-16LE", "UTF-8");
  char *from = converted_from, *to = converted_to;
  size_t from_left = 3, to_left = 8;
  KEEP(iconv(conversion, &from, &from_left, &to, &to_left)); // RACE(iconv)
  iconv_close(conversion);
  pid_t child = fork();
  if (!child) _exit(0);
  wait4(child, &status, 0, &usage); // RACE(wait4)
  invisible_signal(&gate);
  return NULL;
}

static void* second(void* unused) {
  invisible_wait(&gate, 1);
  KEEP((int)printed[1]);         // RACE(sprintf)
  KEEP((int)limited[5]);         // RACE(snprintf)
  printed_string[3] = 0;         // RACE(fprintf)
  put[2] = 'x';                  // RACE(fputs)
  put_line[2] = 'x';             // RACE(puts)
  sent[2] = 'x';                 // RACE(fwrite)
  KEEP((int)got[5]);             // RACE(fread)
  KEEP((int)line[2]);            // RACE(fgets)
  KEEP((int)whole_line[1]);      // RACE(getline)
  KEEP((int)scanned_text[4]);    // RACE(sscanf)
  KEEP(local.tm_year);           // RACE(localtime)
  KEEP(utc.tm_year);             // RACE(gmtime)
  KEEP((int)time_text[4]);       // RACE(strftime)
  KEEP((long)now);               // RACE(time)
  KEEP((long)clock_now.tv_nsec); // RACE(clock_gettime)
  KEEP((long)file.st_size);      // RACE(stat)
  KEEP((int)path[1]);            // RACE(realpath)
  KEEP((int)directory[0]);       // RACE(getcwd)
  KEEP(exponent);                // RACE(frexp)
  KEEP((int)address.s_addr);     // RACE(inet_pton)
  KEEP((int)address_text[8]);    // RACE(inet_ntop)
  KEEP((int)error_text[0]);      // RACE(strerror_r)
  KEEP((int)wide[2]);            // RACE(mbstowcs)
  KEEP(sigismember(&set, 1));
  KEEP((int)((char*)&set)[0]); // RACE(sigemptyset)
  KEEP(policy);                // RACE(schedparam)
  KEEP((int)tokens[1]);        // RACE(strtok_r)
  KEEP((long)used.tms_utime);  // RACE(times)
  host[0] = '2';               // RACE(getaddrinfo)
  KEEP((int)converted_to[5]);  // RACE(iconv)
  KEEP(status);                // RACE(wait4)
  return NULL;
}

int main(void) {
  null = fopen("/dev/null", "w");
  zero = fopen("/dev/zero", "r");
  text = tmpfile();
  fputs("line\nx\n", text);
  rewind(text);
  run_two(first, second);
}
