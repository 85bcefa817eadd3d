#include "events/open_trace.h"
#include "events/text.h"
#include "events/text_source.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <unistd.h>

namespace footrace {
namespace {

class File {
public:
  explicit File(const std::string& text) {
    const int descriptor = mkstemp(name_);
    EXPECT_EQ(write(descriptor, text.data(), text.size()), ssize_t(text.size()));
    close(descriptor);
  }
  ~File() { unlink(name_); }
  std::string name() const { return name_; }

private:
  char name_[32] = "/tmp/text_source_test.XXXXXX";
};

std::unique_ptr<EventSource> opened(const File& file) {
  TraceError error;
  auto source = open_trace(file.name(), error);
  EXPECT_TRUE(source) << error.reason;
  return source;
}

std::vector<Event> all_events(EventSource& source) {
  std::vector<Event> events;
  for (Event e; source.next(e);) events.push_back(e);
  return events;
}

TEST(TextSource, StreamAndWholeText_GiveTheSameEvents) {
  std::string text;
  for (int i = 0; i < 20000; ++i)
    text += "T" + std::to_string(i % 3) + "|w(0x" + std::to_string(i) + ",4)|7\n# c\n\n";
  text += "T0|exit()"; // without an end of line
  File file(text);
  auto source = opened(file);
  std::vector<Event> whole;
  ASSERT_FALSE(parse_trace(text, whole));
  EXPECT_EQ(all_events(*source), whole);
  EXPECT_EQ(whole.size(), 20001u);
  EXPECT_FALSE(source->error());
}

// Mostly a recording that failed: no races in it would be a promise.
TEST(TextSource, EmptyFile_IsRefused) {
  File file("");
  TraceError error;
  EXPECT_FALSE(open_trace(file.name(), error));
  EXPECT_NE(error.reason.find("is empty"), std::string::npos);
}

TEST(TextSource, CommentAlone_HasNoEventsAndNoError) {
  File file("# nothing happened\n");
  auto source = opened(file);
  EXPECT_TRUE(all_events(*source).empty());
  EXPECT_FALSE(source->error());
}

TEST(TextSource, TracesOfOtherTools_KeepTheirNames) {
  File file("T0|begin|Account.java:12\nmain|r(V1.2[3])|Account.java:13:5\nmain|w(V1.2[3])|Account.run\nT0|"
            "end|204\n");
  auto source = opened(file);
  auto events = all_events(*source);
  ASSERT_EQ(events.size(), 4u);
  EXPECT_EQ(events[0].kind, EventKind::Begin);
  EXPECT_EQ(source->site(events[0].site)->frames,
            (std::vector<TraceFrame>{{"", "Account.java", 12, 0, "", 0}}));
  EXPECT_EQ(source->site(events[1].site)->frames,
            (std::vector<TraceFrame>{{"", "Account.java", 13, 5, "", 0}}));
  EXPECT_EQ(source->site(events[2].site)->frames,
            (std::vector<TraceFrame>{{"Account.run", "", 0, 0, "", 0}}));
  EXPECT_EQ(events[3].site, 204u);
  EXPECT_EQ(source->site(204), nullptr);
}

TEST(TextSource, WrongLine_EndsTheStreamWithItsNumber) {
  File file("T0|w(0x1,1)\nnonsense\nT0|w(0x2,1)\n");
  auto source = opened(file);
  EXPECT_EQ(all_events(*source).size(), 1u);
  ASSERT_TRUE(source->error());
  EXPECT_EQ(source->error()->where, file.name() + ":2");
  Event e;
  EXPECT_FALSE(source->next(e)); // and it stays at its end
}

TEST(TextSource, LineWithoutEnd_IsRefusedInBoundedMemory) {
  File file(std::string(1 << 20, 'x'));
  auto source = opened(file);
  EXPECT_TRUE(all_events(*source).empty());
  ASSERT_TRUE(source->error());
  EXPECT_NE(source->error()->reason.find("longer than"), std::string::npos);
}

TEST(OpenTrace, MissingFileAndFolder_AreRefusedWithTheReason) {
  TraceError error;
  EXPECT_FALSE(open_trace("/nonexistent/trace", error));
  EXPECT_NE(error.reason.find("No such file"), std::string::npos);
  EXPECT_FALSE(open_trace("/tmp", error));
  EXPECT_NE(error.reason.find("folder"), std::string::npos);
}

} // namespace
} // namespace footrace
