#include "config/step_window.h"

#include <gmock/gmock.h>

#include "config/config.h"
#include "config/load.h"
#include "config/show.h"
#include "support/expect_error.h"

namespace verbund {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(StepWindow, HasBothEnds) {
  const StepWindow window = parse_step_window("1k-1020").value();
  EXPECT_EQ(window, (StepWindow{1000, 1020}));
  EXPECT_FALSE(window.contains(999));
  EXPECT_TRUE(window.contains(1000));
  EXPECT_TRUE(window.contains(1020));
  EXPECT_FALSE(window.contains(1021));
  EXPECT_EQ(to_text(window), "1000-1020");
  EXPECT_EQ(parse_step_window("7-7"), (StepWindow{7, 7}));
}

TEST(StepWindow, NoneIsEmpty) {
  EXPECT_TRUE(parse_step_window("").value().empty());
  EXPECT_FALSE(StepWindow().contains(0));
  EXPECT_EQ(to_text({}), "");
}

TEST(StepWindow, AnythingElseIsRefused) {
  for (const char* text : {"5", "-", "5-", "-5", "-5-7", "0-5", "9-8", "1-2-3", "a-b", "1.5-3", "1-10001", " 1-2",
                           "1-99999999999999999999"}) {
    EXPECT_FALSE(parse_step_window(text)) << text;
  }
  EXPECT_TRUE(parse_step_window("1-10000"));
}

TEST(StepWindow, IsAKeyOfTheConfiguration) {
  const Config config = load_config("", {"train.timeline=100-120"});
  EXPECT_EQ(config.train.timeline, (StepWindow{100, 120}));
  EXPECT_THAT(show(config), HasSubstr("timeline: 100-120\n"));
  EXPECT_THAT(show(Config()), HasSubstr("timeline: \"\"\n"));
  Config again;
  load(parse_yaml(show(config), "c.yaml"), again);
  EXPECT_EQ(again.train.timeline, config.train.timeline);
  EXPECT_ERROR(load_config("", {"train.timeline=120-100"}), UsageError, HasSubstr("train.timeline is \"120-100\""),
               HasSubstr("FIRST-LAST"));
  EXPECT_ERROR(load_config("", {"train.timeline=[1, 2]"}), UsageError, HasSubstr("FIRST-LAST"));
}

}  // namespace
}  // namespace verbund
