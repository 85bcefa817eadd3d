#include "base/types.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

using namespace footrace;

extern "C" {
void* __footrace_internal_memcpy(void*, const void*, u64);
void* __footrace_internal_memmove(void*, const void*, u64);
void* __footrace_internal_memset(void*, int, u64);
int __footrace_internal_memcmp(const void*, const void*, u64);
u64 __footrace_internal_strlen(const char*);
}

namespace {

TEST(Builtins, Memmove_CopiesOverlappingRangesInBothDirections) {
  for (int distance = -20; distance <= 20; ++distance)
    for (u64 size = 0; size <= 32; ++size) {
      std::string text = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789",
                  expected = text;
      std::string copy = text.substr(20, size);
      expected.replace(u64(20 + distance), size, copy);
      void* to = &text[u64(20 + distance)];
      EXPECT_EQ(__footrace_internal_memmove(to, &text[20], size), to);
      EXPECT_EQ(text, expected) << "distance " << distance << " size " << size;
    }
}

TEST(Builtins, MemcpyAndMemset_ChangeExactlyTheRange) {
  for (u64 size = 0; size <= 40; ++size) {
    std::vector<u8> from(size, 7), to(size + 2, 1);
    EXPECT_EQ(__footrace_internal_memcpy(&to[1], from.data(), size), &to[1]);
    EXPECT_EQ(to.front(), 1);
    EXPECT_EQ(to.back(), 1);
    EXPECT_EQ(std::count(to.begin(), to.end(), 7), i64(size));
    EXPECT_EQ(__footrace_internal_memset(&to[1], 0x1ff, size), &to[1]);
    EXPECT_EQ(std::count(to.begin(), to.end(), 0xff), i64(size));
    EXPECT_EQ(to.back(), 1);
  }
}

TEST(Builtins, Memcmp_ComparesAsUnsigned) {
  EXPECT_EQ(__footrace_internal_memcmp("ab", "ab", 2), 0);
  EXPECT_LT(__footrace_internal_memcmp("ab", "a\x80", 2), 0);
  EXPECT_GT(__footrace_internal_memcmp("a\x80", "ab", 2), 0);
  EXPECT_EQ(__footrace_internal_memcmp("ab", "ac", 1), 0);
}

TEST(Builtins, Strlen_StopsAtTheFirstNul) {
  EXPECT_EQ(__footrace_internal_strlen(""), 0u);
  EXPECT_EQ(__footrace_internal_strlen("abc\0def"), 3u);
}

} // namespace
