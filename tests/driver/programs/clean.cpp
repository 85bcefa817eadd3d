#include <cstdio>
#include <thread>

int main(int argc, char** argv) {
  int value = 0;
  std::thread thread([&] { value = argc; });
  thread.join();
  for (int i = 1; i < argc; i++) std::printf("argument %s\n", argv[i]);
  std::printf("value %d, thread_sanitizer %d\n", value, __has_feature(thread_sanitizer));
  return argc == 1 ? 0 : argc;
}
