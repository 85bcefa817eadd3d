// RUN: %e2e %s
// Functions of the C library do not touch what lies behind the bytes that they read and write, nor what they leave alone.
// FLAGS: -fno-builtin
#include "e2e.h"
#include <arpa/inet.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <wchar.h>

static struct InvisibleGate gate;
static FILE *null, *zero, *text;

char printed[32], limited[32], printed_string[8] = "abcd", put[8] = "abc", sent[8] = "abc", got[8], line[64],
                               scanned_text[16];
char time_text[32], path[4096], directory[4096], address_text[64], error_text[64], tokens[16] = "a,b",
                                                                                   whole[8] = "ab";
int scanned[3];
struct {
  struct tm local;
  int behind;
} times;
struct {
  struct stat file;
  int behind;
} files;
wchar_t wide[8];

static void* first(void* unused) {
  char* rest;
  sprintf(printed, "%d%%", 5);                                               // NORACE
  snprintf(limited, 4, "%s", "abcdefgh");                                    // NORACE
  fprintf(null, "%.2s %*d %f %Lf %ld", printed_string, 3, 4, 1.5, 2.5L, 5L); // NORACE
  fputs(put, null);                                                          // NORACE
  fwrite(sent, 1, 3, null);                                                  // NORACE
  KEEP(fread(got, 2, 3, zero));                                              // NORACE
  KEEP(fgets(line, sizeof line, text));                                      // NORACE
  KEEP(sscanf("12 word", "%d %*s %d", &scanned[0], &scanned[1]));            // NORACE
  KEEP(sscanf("word", "%3[a-z]", scanned_text));                             // NORACE
  time_t seconds = 1000;
  localtime_r(&seconds, &times.local); // NORACE
  struct tm own = {0};
  strftime(time_text, sizeof time_text, "%Y", &own); // NORACE
  KEEP(stat("/", &files.file));                      // NORACE
  KEEP(stat("/no/such/file", &files.file));          // NORACE
  KEEP(realpath("/", path));                         // NORACE
  struct in_addr loopback = {0x100007f};
  inet_ntop(AF_INET, &loopback, address_text, sizeof address_text); // NORACE
  KEEP(strerror_r(1, error_text, sizeof error_text));               // NORACE
  KEEP(mbstowcs(wide, "abc", 3));                                   // NORACE
  strtok_r(tokens, ",", &rest);                                     // NORACE
  strtok_r(whole, ",", &rest);                                      // NORACE
  invisible_signal(&gate);
  return NULL;
}

static void* second(void* unused) {
  invisible_wait(&gate, 1);
  printed[3] = 'x';        // NORACE
  limited[4] = 'x';        // NORACE
  printed_string[2] = 'x'; // NORACE
  put[4] = 'x';            // NORACE
  sent[3] = 'x';           // NORACE
  got[6] = 'x';            // NORACE
  line[6] = 'x';           // NORACE
  scanned[1] = 5;          // NORACE
  scanned_text[4] = 'x';   // NORACE
  times.behind = 1;        // NORACE
  time_text[6] = 'x';      // NORACE
  files.behind = 1;        // NORACE
  path[2] = 'x';           // NORACE
  address_text[10] = 'x';  // NORACE
  error_text[0] = 'x';     // NORACE
  wide[3] = 'x';           // NORACE
  tokens[2] = 'x';         // NORACE
  KEEP((int)whole[2]);     // NORACE
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
