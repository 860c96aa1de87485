// SPDX-License-Identifier: Apache-2.0
#include "core/human.h"

#include <gtest/gtest.h>

namespace verbund {
namespace {

TEST(Human, Bytes) {
  EXPECT_EQ(human_bytes(0), "0 bytes");
  EXPECT_EQ(human_bytes(999), "999 bytes");
  EXPECT_EQ(human_bytes(1500), "1.5 kB");
  EXPECT_EQ(human_bytes(148'000'000), "148 MB");
  EXPECT_EQ(human_bytes(999'999), "1.0 MB");
}

TEST(Human, Count) {
  EXPECT_EQ(human_count(7), "7");
  EXPECT_EQ(human_count(1000), "1,000");
  EXPECT_EQ(human_count(4562102), "4,562,102");
}

TEST(Human, Duration) {
  EXPECT_EQ(human_duration(4.21), "4.2 s");
  EXPECT_EQ(human_duration(59.99), "1 min 00 s");
  EXPECT_EQ(human_duration(3725), "1 h 02 min");
  EXPECT_EQ(human_duration(3 * 24 * 3600), "3 days 0 h");
  EXPECT_EQ(human_duration(31557600.0 * 999.9), "365213 days 11 h");
  EXPECT_EQ(human_duration(31557600.0 * 3e20), "3e+20 years");  // more seconds than an int64_t has
}

TEST(Human, TimeLeft) {
  EXPECT_EQ(human_time_left(0), "0 s left");
  EXPECT_EQ(human_time_left(4.21), "5 s left");
  EXPECT_EQ(human_time_left(59.2), "1 min 00 s left");
  EXPECT_EQ(human_time_left(3725), "1 h 02 min left");
}

TEST(Human, NearestFindsSlipsOnly) {
  const std::vector<std::string> words = {"max_words", "min_words", "max_ratio"};
  EXPECT_EQ(nearest("max_word", words), "max_words");
  EXPECT_EQ(nearest("maxratio", words), "max_ratio");
  EXPECT_EQ(nearest("learning_rate", words), "");
}

}  // namespace
}  // namespace verbund
