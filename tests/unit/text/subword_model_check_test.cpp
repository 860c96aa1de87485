// SPDX-License-Identifier: Apache-2.0
#include "text/subword_model_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "support/made_subword_model.h"
#include "support/temporary_folder.h"
#include "text/subwords.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using namespace std::string_literals;

const std::vector<std::pair<std::string, int64_t>> kThreePieces = {{"▁", 1}, {"a", 1}, {"b", 1}};

class SubwordModelCheck : public ::testing::Test {
 protected:
  Subwords load(const std::string& model) { return Subwords(folder_.write("source.spm", model)); }
  void expect_refused(const std::string& table, const std::string& why) {
    for (const uint32_t field : {3u, 5u}) {
      EXPECT_ERROR(load(made_subword_model(kThreePieces, table, field)), Error, HasSubstr("source.spm"),
                   HasSubstr(why));
    }
  }
  void expect_refused(const std::vector<uint32_t>& units, const std::string& why) {
    expect_refused(made_table(units, "b\0"s), why);
  }

  TemporaryFolder folder_;
};

TEST_F(SubwordModelCheck, ATableIsFollowed) {
  EXPECT_THAT(load(made_subword_model(kThreePieces)).encode_pieces("ab"), ElementsAre("▁", "a", "b"));
  const std::string table = made_table(made_trie(2), "a\0b\0"s);
  EXPECT_THAT(load(made_subword_model(kThreePieces, table)).encode_pieces("aA"), ElementsAre("▁", "a", "b"));
}

TEST_F(SubwordModelCheck, ATableThatIsSmallerThanItSaysIsRefused) {
  expect_refused("abc"s, "size");
  expect_refused("\0\4\0\0\0"s, "smaller");
  const std::string whole = made_table(made_trie(0), "b\0"s);
  expect_refused(whole.substr(0, whole.size() - 3), "smaller");
  expect_refused("\5\0\0\0abcde\0"s, "units");
}

TEST_F(SubwordModelCheck, AWayOutOfTheTableIsRefused) {
  const std::vector<uint32_t> good = made_trie(0);
  std::vector<uint32_t> units = good;
  units[0] = 0x300 << 10;  // the first byte
  expect_refused(units, "outside");
  units = good;
  units[0x100 ^ 'A'] |= 0x200 << 10 | 1 << 9;  // the second one: 256 times as far
  expect_refused(units, "outside");
  expect_refused(made_trie(2), "outside");  // its string begins after the last one
  expect_refused(made_trie(0x7fffffff), "outside");
  expect_refused(std::vector<uint32_t>(good.begin(), good.begin() + 0x2ff), "outside");
  expect_refused(std::vector<uint32_t>(), "outside");
  expect_refused(made_table(good, "b"), "without an end");
  expect_refused(made_table(good, ""), "without an end");
}

// A search for the rules that match writes down 32 of them, but returns the number of all.
TEST_F(SubwordModelCheck, TooManyRulesForOneTextAreRefused) {
  const auto chain = [](uint32_t length) {  // A, AA, AAA, ...
    std::vector<uint32_t> units(0x100 * (length + 2), 0x8000'0000);
    units[0] = 0x100 << 10;
    for (uint32_t i = 1; i <= length; ++i) {
      const uint32_t place = i << 8 ^ 'A', next = (i + 1) << 8;
      units[place] = (place ^ next) << 10 | 1 << 8 | 'A';
    }
    return units;
  };
  EXPECT_THAT(load(made_subword_model(kThreePieces, made_table(chain(32), "b\0"s))).encode_pieces("a"),
              ElementsAre("▁", "a"));
  expect_refused(chain(33), "32");
  std::vector<uint32_t> loop = made_trie(0);
  loop[0x100 ^ 'A'] = 'A' << 10 | 1 << 8 | 'A';  // back to the base that it came from
  expect_refused(loop, "loop");
}

TEST_F(SubwordModelCheck, UserDefinedPiecesAreBounded) {
  std::vector<std::pair<std::string, int64_t>> pieces = kThreePieces;
  for (size_t i = 1; i <= 63; ++i) pieces.push_back({std::string(i, 'x'), 4});
  pieces.push_back({"y", 4});
  EXPECT_EQ(load(made_subword_model(pieces)).encode(std::string(63, 'x')).size(), 2u);
  pieces.push_back({std::string(64, 'x'), 4});
  pieces.push_back({std::string(65, 'x'), 4});
  EXPECT_ERROR(load(made_subword_model(pieces)), Error, HasSubstr("64"));
  EXPECT_ERROR(load(made_subword_model({{"▁", 1}, {std::string(5000, 'x'), 1}})), Error, HasSubstr("5000"));
}

TEST_F(SubwordModelCheck, WhatTheLibraryThrowsIsAnError) {
  std::vector<std::pair<std::string, int64_t>> pieces = kThreePieces;
  pieces.push_back({"", 4});
  EXPECT_ERROR(load(made_subword_model(pieces)), Error, HasSubstr("source.spm"));
}

// Where two readers of a damaged file could differ, it is refused.
TEST_F(SubwordModelCheck, WhatIsNotWhollyAMessageIsRefused) {
  const std::string table = made_table(made_trie(2), "b\0"s), bad = made_subword_model(kThreePieces, table);
  EXPECT_ERROR(load("\x0b" + bad), Error, HasSubstr("source.spm"));                    // begins with a group
  EXPECT_ERROR(load("\x98\x80\x80\x80\x70\1" + bad), Error, HasSubstr("source.spm"));  // a number of 35 bits
  EXPECT_ERROR(load(std::string("\0\0", 2) + bad), Error, HasSubstr("source.spm"));
  const std::string good = made_subword_model(kThreePieces);
  EXPECT_ERROR(load(good.substr(0, good.size() - 1)), Error, HasSubstr("source.spm"));
}

}  // namespace
}  // namespace verbund
