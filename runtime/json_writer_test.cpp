#include "runtime/json_writer.h"

#include <gtest/gtest.h>
#include <string>

using namespace footrace;

namespace {

std::string quoted(const std::string& value) {
  TextBuffer out;
  JsonWriter(out).text(value.data(), value.size());
  return std::string(out.data(), out.size());
}

TEST(JsonWriter, NestedValues_AreSeparatedOnce) {
  TextBuffer out;
  JsonWriter json(out);
  json.begin_object();
  json.key("a").begin_array();
  json.number(1);
  json.address(0x7f00);
  json.begin_object();
  json.end_object();
  json.end_array();
  json.key("b").boolean(true);
  json.key("c").begin_object();
  json.key("d").text("x");
  json.end_object();
  json.end_object();
  EXPECT_STREQ(out.c_str(), R"({"a":[1,"0x7f00",{}],"b":true,"c":{"d":"x"}})");
}

TEST(JsonWriter, QuotesAndControlCharacters_AreEscaped) {
  EXPECT_EQ(quoted("a\"b\\c\n\x01"), R"("a\"b\\c\u000a\u0001")");
  EXPECT_EQ(quoted(std::string("a\0b", 3)), R"("a\u0000b")");
}

TEST(JsonWriter, ValidUtf8_IsKept) {
  EXPECT_EQ(quoted("\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80"), "\"\xc3\xa4 \xe2\x82\xac \xf0\x9f\x98\x80\"");
}

TEST(JsonWriter, InvalidUtf8_IsEscapedByteByByte) {
  EXPECT_EQ(quoted("\xff"), R"("\u00ff")");
  EXPECT_EQ(quoted("\xc3"), R"("\u00c3")");                     // cut off
  EXPECT_EQ(quoted("\xc0\x80"), R"("\u00c0\u0080")");           // overlong
  EXPECT_EQ(quoted("\xed\xa0\x80"), R"("\u00ed\u00a0\u0080")"); // surrogate
  EXPECT_EQ(quoted("\xf4\x90\x80\x80"), R"("\u00f4\u0090\u0080\u0080")");
}

TEST(TextBuffer, LongText_Grows) {
  TextBuffer out;
  std::string expected;
  for (int i = 0; i < 100'000; ++i) {
    out.add_decimal(u64(i));
    expected += std::to_string(i);
  }
  EXPECT_EQ(std::string(out.data(), out.size()), expected);
}

TEST(TextBuffer, Numbers_AtTheirLimits) {
  TextBuffer out;
  out.add_decimal(0);
  out.add(' ');
  out.add_decimal(~0ull);
  out.add(' ');
  out.add_hex(0);
  out.add(' ');
  out.add_hex(~0ull);
  EXPECT_STREQ(out.c_str(), "0 18446744073709551615 0x0 0xffffffffffffffff");
}

} // namespace
