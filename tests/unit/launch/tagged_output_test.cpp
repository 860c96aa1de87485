#include "launch/tagged_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/status.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;

// "1 err text" for each line, in order; `step` bytes arrive at a time.
std::vector<std::string> lines_of(const std::string& stream, size_t step) {
  std::vector<std::string> lines;
  TaggedOutput output([&](const OutputLine& line) {
    lines.push_back(fmt::format("{} {} {}", line.rank, line.is_stdout ? "out" : "err", line.text));
  });
  for (size_t i = 0; i < stream.size(); i += step) output.add(std::string_view(stream).substr(i, step));
  output.finish();
  return lines;
}

TEST(TaggedOutput, TellsWhoWroteALine) {
  for (const size_t step : {1, 7, 1000}) {
    EXPECT_THAT(lines_of("[1,0]<stderr>:step 1\n[1,12]<stdout>:x\nssh: no route\n[1,0]<stderr>:\n", step),
                ElementsAre("0 err step 1", "12 out x", "-1 err ssh: no route", "0 err "));
  }
}

TEST(TaggedOutput, PutsPiecesTogetherAgain) {
  const std::string stream =
      "[1,0]<stderr>:one[1,0]<stderr>: two[1,1]<stderr>:other\n"
      "[1,1]<stderr>:next\n"
      "[1,0]<stderr>: three[1,0]<stderr>:\n";
  for (const size_t step : {1, 5, 1000}) {
    EXPECT_THAT(lines_of(stream, step), ElementsAre("1 err other", "1 err next", "0 err one two three"));
  }
}

TEST(TaggedOutput, KeepsTextThatOnlyLooksLikeATag) {
  EXPECT_THAT(lines_of("[1,0]<stderr>:loss[1,2] [a,b]<stderr>: [1,-2]<stderr>:\n[1,x]\n", 1000),
              ElementsAre("0 err loss[1,2] [a,b]<stderr>: [1,-2]<stderr>:", "-1 err [1,x]"));
}

TEST(TaggedOutput, KeepsALastLineWithoutEnd) {
  EXPECT_THAT(lines_of("[1,1]<stderr>:begun[1,0]<stderr>:the end", 3), ElementsAre("0 err the end", "1 err begun"));
}

TEST(TaggedOutput, AStatusOfAWorkerStaysALineOfItsOwn) {
  const Status status = {0.25, "step 10 of 40, 3 min 10 s left"};
  const std::string stream =
      fmt::format("[1,0]<stderr>:{}\n[1,0]<stderr>:step 10\n[1,0]<stderr>:{}\n", marked_status(status), kStatusMark);
  for (const size_t step : {1, 7, 1000}) {
    std::vector<std::string> shown;
    TaggedOutput output([&](const OutputLine& line) {
      const auto drawn = parse_marked_status(line.text);
      shown.push_back(!drawn           ? line.text
                      : drawn->empty() ? "(removed)"
                                       : fmt::format("({}) {}", drawn->share, drawn->text));
    });
    for (size_t i = 0; i < stream.size(); i += step) output.add(std::string_view(stream).substr(i, step));
    EXPECT_THAT(shown, ElementsAre("(0.25) " + status.text, "step 10", "(removed)"));
  }
}

}  // namespace
}  // namespace verbund
