// SPDX-License-Identifier: Apache-2.0
#include "config/value.h"

#include <gtest/gtest.h>

#include <chrono>

#include "core/error.h"
#include "support/expect_error.h"

namespace verbund {
namespace {

using ::testing::HasSubstr;

TEST(Value, AliasesStandForWhatTheyName) {
  const Value value = parse_yaml("a: &x [1, 2]\nb: *x\n", "my.yaml");
  EXPECT_EQ(value.map.at(1).value.list.at(1).scalar, "2");
}

TEST(Value, AnAliasToItselfIsRefused) {
  EXPECT_ERROR(parse_yaml("seed: 1\na: &x [*x]\n", "my.yaml"), UsageError, HasSubstr("my.yaml:2"));
  EXPECT_ERROR(parse_yaml("&x {a: {b: *x}}\n", "my.yaml"), UsageError, HasSubstr("my.yaml:1"));
  EXPECT_ERROR(parse_override("corpus.train=&x [*x, *x]"), UsageError, HasSubstr("--set corpus.train="));
}

TEST(Value, AliasesThatMultiplyAreBounded) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    bomb += fmt::format("a{0}: &a{0} [*a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}, *a{1}]\n", i, i - 1);
  }
  EXPECT_ERROR(parse_yaml(bomb, "my.yaml"), UsageError, HasSubstr("20000"));
  std::string wide = "a: &a " + std::string(100000, 'x') + "\nb: [";
  for (int i = 0; i < 200; ++i) wide += "*a, ";
  EXPECT_ERROR(parse_yaml(wide + "]\n", "my.yaml"), UsageError, HasSubstr("10000000"));
}

TEST(Value, ALongMapTakesLinearTime) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += fmt::format("piece{}: {}\n", i, i);
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(parse_yaml(text, "my.yaml", {.values = 100001}).map.at(99999).value.scalar, "99999");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(15));
}

TEST(Value, LimitsAreThoseOfTheCaller) {
  EXPECT_ERROR(parse_yaml("a: 1\nb: 2\n", "my.yaml", {.values = 2}), UsageError, HasSubstr("my.yaml:2"));
  EXPECT_ERROR(parse_yaml("a: 100\n", "my.yaml", {.bytes = 2}), UsageError, HasSubstr("2 bytes"));
}

TEST(Value, AKeyIsGivenOnce) {
  EXPECT_ERROR(parse_yaml("a: 1\nb: 2\na: 3\n", "my.yaml"), UsageError, HasSubstr("my.yaml:3"));
}

TEST(Value, DepthIsBounded) {
  EXPECT_ERROR(parse_yaml("a: " + std::string(40, '[') + std::string(40, ']'), "my.yaml"), UsageError, HasSubstr("32"));
  for (const char* open : {"[", "{a: ", "- ", "? "}) {
    std::string deep;
    for (int i = 0; i < 20000; ++i) deep += open;
    EXPECT_ERROR(parse_yaml(deep, "my.yaml"), UsageError, HasSubstr("my.yaml:1"));
  }
}

TEST(Value, ASecondDocumentIsRefusedWithItsLine) {
  EXPECT_ERROR(parse_yaml("seed: 1\n---\nseed: 2\n", "my.yaml"), UsageError, HasSubstr("my.yaml:3"));
  EXPECT_EQ(parse_yaml("---\nseed: 1\n...\n---\n", "my.yaml").map.at(0).value.scalar, "1");
}

TEST(Value, AKeyIsAWord) {
  EXPECT_ERROR(parse_yaml("seed: 1\n[a, b]: 2\n", "my.yaml"), UsageError, HasSubstr("my.yaml:2"));
}

}  // namespace
}  // namespace verbund
