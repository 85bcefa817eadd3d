// What std::async runs comes before who gets the result, by a thread of its own or not.
// VERDICT: race-free
#include <future>
#include <string>
static int shared;
static std::string text;
int main() {
  shared = 1;
  std::future<std::string> named = std::async([] {
    shared++;
    return text + "done";
  });
  text = named.get();
  shared++;
  return text.empty() ? 0 : shared;
}
