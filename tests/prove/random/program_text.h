// What generators of random programs have in common.
#pragma once

#include <random>
#include <string>
#include <utility>

namespace footrace::prove {

class ProgramText {
protected:
  ProgramText(std::mt19937_64& random, unsigned number) : random_(random), suffix_(std::to_string(number)) {}

  unsigned pick(unsigned below) { return static_cast<unsigned>(random_() % below); }
  // '@' stands for the number of the program.
  void line(const std::string& pattern) {
    for (char c : pattern) c == '@' ? text_ += suffix_ : text_ += c;
    text_ += '\n';
  }
  std::string take_text() { return std::move(text_); }

private:
  std::mt19937_64& random_;
  std::string suffix_, text_;
};

} // namespace footrace::prove
