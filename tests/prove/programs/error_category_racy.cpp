// Comparing errors runs the functions of the program's own category.
// VERDICT: pairs
#include <system_error>
#include <thread>
static int asked;
struct Category : std::error_category { // IMPRECISE
  const char* name() const noexcept override { return "own"; }
  std::string message(int) const override { return "?"; } // IMPRECISE
  bool equivalent(int, const std::error_condition&) const noexcept override {
    asked++; // RACE
    return false;
  }
};
static const Category category;
static bool compare() { return std::error_code(1, category) == std::errc::timed_out; } // IMPRECISE
int main() {
  std::thread thread([] { compare(); });
  bool result = compare();
  thread.join();
  return result;
}
