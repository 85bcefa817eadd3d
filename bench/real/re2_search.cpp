// Searches a text with RE2: every thread takes lines from one queue and matches them with the same expressions and the same
// set, whose automata are built as they are needed and thrown away when they outgrow their memory. Prints what was found.
#include <re2/re2.h>
#include <re2/set.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr const char* kExpressions[] = {
    "(\\w+)ing (\\w+)",
    "\\b([a-f]+)\\s+([^a-f\\s]+)\\b",
    "(?i)(?:q|x|z)[aeiou]{2,}(\\w*)",
    "(a|e|i)(\\w{1,4}) .*? o\\w+",
    "\\b(\\w)\\w*(tr|st|qu)\\w* (\\w{7,})",
    "([b-d]|[h-k]|xy){3,6} ?(\\pL+)$",
};

constexpr const char* kSet[] = {"ab+c?",         "\\bqu\\w+", "z[^ ]*z",
                                "(the|and|of) ", "[xyz]{3}",  "^\\w{2} \\w{3} "};

struct Found {
  uint64_t lines = 0, matches = 0, replaced = 0, in_set = 0, digest = 0;
};

struct Search {
  std::string text;
  std::vector<re2::StringPiece> lines;
  std::vector<std::unique_ptr<RE2>> expressions;
  std::unique_ptr<RE2::Set> set;
  std::unique_ptr<RE2> words;
  std::atomic<size_t> next{0};
  std::mutex lock;
  Found found;
};

uint64_t hash_of(re2::StringPiece text) {
  uint64_t hash = 14695981039346656037u;
  for (char c : text) hash = (hash ^ uint8_t(c)) * 1099511628211u;
  return hash;
}

// Sums do not depend on which thread had which line.
void search_line(const Search& search, re2::StringPiece line, Found& found) {
  ++found.lines;
  for (const auto& expression : search.expressions) {
    re2::StringPiece rest = line, first, second;
    while (RE2::FindAndConsume(&rest, *expression, &first, &second)) {
      ++found.matches;
      found.digest += hash_of(first) + 3 * hash_of(second);
    }
  }
  std::vector<int> members;
  search.set->Match(line, &members);
  for (int member : members) found.in_set += 1 + member;
  std::string copy(line);
  found.replaced += RE2::GlobalReplace(&copy, *search.words, "<\\2-\\1>");
  found.digest += hash_of(copy);
}

void work(Search& search) {
  constexpr size_t kBatch = 64;
  Found found;
  for (size_t at; (at = search.next.fetch_add(kBatch)) < search.lines.size();)
    for (size_t i = at; i < std::min(at + kBatch, search.lines.size()); ++i)
      search_line(search, search.lines[i], found);
  std::lock_guard guard(search.lock);
  search.found.lines += found.lines;
  search.found.matches += found.matches;
  search.found.replaced += found.replaced;
  search.found.in_set += found.in_set;
  search.found.digest += found.digest;
}

void prepare(Search& search, const char* file) {
  std::ifstream in(file, std::ios::binary);
  search.text.assign(std::istreambuf_iterator<char>(in), {});
  for (size_t at = 0, end; at < search.text.size(); at = end + 1) {
    end = std::min(search.text.find('\n', at), search.text.size());
    search.lines.emplace_back(search.text.data() + at, end - at);
  }
  RE2::Options options;
  options.set_max_mem(1 << 18); // small: the automaton is reset now and then
  for (const char* expression : kExpressions)
    search.expressions.push_back(std::make_unique<RE2>(expression, options));
  search.set = std::make_unique<RE2::Set>(options, RE2::UNANCHORED);
  for (const char* expression : kSet) search.set->Add(expression, nullptr);
  search.set->Compile();
  search.words = std::make_unique<RE2>("(\\w+?)([aeiou]\\w) ", options);
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s THREADS FILE\n", argv[0]);
    return 2;
  }
  Search search;
  prepare(search, argv[2]);
  std::vector<std::thread> threads;
  for (int i = 0; i < std::atoi(argv[1]); ++i) threads.emplace_back([&] { work(search); });
  for (std::thread& thread : threads) thread.join();
  const Found& f = search.found;
  std::printf("%llu lines, %llu matches, %llu replaced, %llu in the set, digest %016llx\n",
              (unsigned long long)f.lines, (unsigned long long)f.matches, (unsigned long long)f.replaced,
              (unsigned long long)f.in_set, (unsigned long long)f.digest);
}
