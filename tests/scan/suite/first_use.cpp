// What is made at its first use: whether main makes it before there are threads.
#include <cstdlib>
#include <thread>

struct Text {
  char* start = nullptr;
  unsigned length = 0;
};
Text session, late_session;
void append(Text* text) {
  text->start = static_cast<char*>(std::malloc(1));
  text->length = 1;
}
const char* session_ok() {
  if (!session.length) append(&session);
  return session.start;
}
const char* late_session_bad() {
  if (!late_session.length) append(&late_session);
  return late_session.start;
}

unsigned long limit_ok() {
  static unsigned long limit = 0;
  if (limit > 0) return limit;
  limit = 100;
  return limit;
}
int wanted_bad() {
  static int wanted = -1;
  if (wanted == -1) wanted = std::getenv("WANTED") != nullptr;
  return wanted;
}

// Set beforehand, and not by its first use: what is done while it is not set, threads do.
bool stop = false;
int rounds = 0;
void loop_bad() {
  while (!stop) ++rounds;
}

// The first use of one thing says nothing of another.
int* table = nullptr;
int count = 0;
void fill_bad() {
  if (!table) table = new int[4];
  ++count;
}

int main() {
  session_ok();
  limit_ok();
  fill_bad();
  stop = false;
  std::thread threads[] = {std::thread(session_ok), std::thread(session_ok), std::thread(late_session_bad),
                           std::thread(limit_ok),   std::thread(limit_ok),   std::thread(late_session_bad),
                           std::thread(wanted_bad), std::thread(wanted_bad), std::thread(loop_bad),
                           std::thread(loop_bad),   std::thread(fill_bad),   std::thread(fill_bad)};
  for (std::thread& thread : threads) thread.join();
}
