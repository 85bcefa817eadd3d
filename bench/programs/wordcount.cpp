// Word count: how often each word occurs in a text, with std::string and std::unordered_map.
// Sharing: the text is read-shared; each thread counts its part in a map of its own and then merges it into
// the common map under a mutex, moving the strings it made.
#include "bench/programs/program.h"

#include <algorithm>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace {

using Counts = std::unordered_map<std::string, uint64_t>;

// Words of 2 to 24 letters: short ones live inside the string object, long ones on the heap.
std::vector<std::string> make_vocabulary(size_t words, bench::Random& random) {
  std::vector<std::string> vocabulary(words);
  for (std::string& word : vocabulary) {
    size_t length = 2 + random.below(random.below(4) ? 8 : 23);
    for (size_t i = 0; i < length; ++i) word += char('a' + random.below(26));
  }
  return vocabulary;
}

// Few words are frequent and many are rare; some are capitalised and some followed by a full stop.
std::string make_text(size_t words) {
  bench::Random random(2009);
  std::vector<std::string> vocabulary = make_vocabulary(20000, random);
  std::string text;
  for (size_t i = 0; i < words; ++i) {
    double u = random.unit();
    std::string word = vocabulary[size_t(u * u * u * double(vocabulary.size()))];
    if (!random.below(8)) word[0] = char(word[0] - 'a' + 'A');
    text += word;
    text += !random.below(12) ? ". " : " ";
  }
  return text;
}

bool has_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// Counts the words that start in [begin, end); the last may go on beyond.
void count_words(std::string_view text, size_t begin, size_t end, Counts& counts) {
  size_t at = begin;
  if (at) // a word that began before belongs to whoever has its first letter
    while (at < end && has_letter(text[at - 1])) ++at;
  std::string word;
  while (at < end) {
    if (!has_letter(text[at])) {
      ++at;
      continue;
    }
    word.clear();
    for (; at < text.size() && has_letter(text[at]); ++at) word += char(text[at] | 0x20);
    ++counts[word];
  }
}

// Moves entries that are new and adds up the others; `from` is empty afterwards.
void merge(Counts& from, Counts& total) {
  while (!from.empty()) {
    auto result = total.insert(from.extract(from.begin()));
    if (!result.inserted) result.position->second += result.node.mapped();
  }
}

uint64_t hash_of(const std::string& word) {
  uint64_t h = 0;
  for (char c : word) h = bench::mix(h, uint64_t(c));
  return h;
}

uint64_t word_count(const bench::Config& config) {
  const std::string text = make_text(config.pick<size_t>(50'000, 700'000, 4'800'000));
  constexpr unsigned kRounds = 4;
  std::mutex merging;
  Counts total; // guarded by merging
  bench::parallel(config.threads, [&](unsigned me) {
    // Parts are taken in turns, so that maps are merged often enough for the lock to matter.
    constexpr size_t kPart = 1 << 19;
    Counts mine;
    for (unsigned round = 0; round < kRounds; ++round)
      for (size_t begin = me * kPart; begin < text.size(); begin += config.threads * kPart) {
        count_words(text, begin, std::min(begin + kPart, text.size()), mine);
        std::lock_guard lock(merging);
        merge(mine, total);
      }
  });

  std::vector<std::pair<uint64_t, std::string>> frequent;
  uint64_t sum = 0, words = 0;
  for (const auto& [word, count] : total) {
    sum += bench::mix(hash_of(word), count);
    words += count;
    frequent.emplace_back(count, word);
  }
  std::sort(frequent.rbegin(), frequent.rend());
  sum = bench::mix(sum, words);
  for (size_t i = 0; i < 10 && i < frequent.size(); ++i) sum = bench::mix(sum, hash_of(frequent[i].second));
  return sum;
}

} // namespace

int main(int argc, char** argv) {
  return bench::run_program(argc, argv, false, {0x7c5fae3d4edd46f2, 0x22809e5cde943ce9, 0x27d57134d20e872a},
                            word_count);
}
