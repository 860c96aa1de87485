// SPDX-License-Identifier: Apache-2.0
#include "core/json_file.h"

#include <gmock/gmock.h>

#include "core/json.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

using ::testing::HasSubstr;

int answer(const fs::path& path) {
  return use_json_file(path, "Make it again.", [](const auto& json) { return json.at("answer").template get<int>(); });
}

TEST(JsonFile, WhateverIsWrongTheFileIsNamedAndWhatToDo) {
  TemporaryFolder folder;
  const fs::path path = folder / "numbers.json";
  write_file(path, R"({"answer": 42})");
  EXPECT_EQ(answer(path), 42);
  for (const char* damaged : {"", "{", R"({"answer": "42"})", R"({"question": 42})", "[42]", "\xff\xfe"}) {
    write_file(path, damaged);
    EXPECT_ERROR(answer(path), Error, HasSubstr(path.string()), HasSubstr("Make it again."));
  }
}

TEST(Json, OfAStrangerHasFewKeys) {
  EXPECT_EQ(try_parse_json(R"({"a": {"b": [1, {"c": 2}]}})", 3).at("a").at("b").at(1).at("c"), 2);
  EXPECT_TRUE(try_parse_json(R"({"a": {"b": 1, "c": 2, "d": 3}})", 3).is_discarded());
  EXPECT_TRUE(try_parse_json("{", 3).is_discarded());
  EXPECT_EQ(try_parse_json("[1, 2, 3, 4]", 0).size(), 4u);
}

std::string nested_lists(size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); }

TEST(Json, NestedTooDeeplyForTheStackIsRefused) {
  EXPECT_EQ(dump_json(parse_json(nested_lists(1000))), nested_lists(1000));
  EXPECT_EQ(try_parse_json(nested_lists(1000)).size(), 1u);
  const std::string deep = "{\"a\": " + nested_lists(1'000'000) + "}";
  for (const std::string& text : {nested_lists(1001), deep}) {
    EXPECT_THROW(parse_json(text), Json::exception);
    EXPECT_THROW(parse_json(text, 10), Json::exception);
    EXPECT_THROW(parse_large_json(text), nlohmann::json::exception);
    EXPECT_TRUE(try_parse_json(text).is_discarded());
  }
  EXPECT_EQ(parse_json("\"" + std::string(5000, '[') + "\"").get<std::string>().size(), 5000u);
  EXPECT_EQ(parse_json("[" + std::string(5000, ' ') + "[1],[\"\\\"[\"],[{}]]").size(), 3u);
}

TEST(Json, ALargeObjectIsReadInATimeProportionalToIt) {
  std::string text = "{\"last\": 1";
  for (int i = 0; i < 300'000; ++i) text += ", \"" + std::to_string(i) + "\": " + std::to_string(i);
  const nlohmann::json json = parse_large_json(text + "}");  // takes hours where each key is compared with all
  EXPECT_EQ(json.size(), 300'001u);
  EXPECT_EQ(json.at("299999"), 299999);
  EXPECT_THROW(parse_json(text + "}", 300'000), Json::exception);
  EXPECT_EQ(parse_json(R"({"a": {"b": 1}})", 2).size(), 1u);
}

TEST(JsonFile, ANoteMayBeLost) {
  TemporaryFolder folder;
  const fs::path path = folder / "note.json";
  int seen = 0;
  const auto use = [&](const auto& json) { seen = json.at("answer"); };
  EXPECT_FALSE(use_note(path, use));
  write_file(path, R"({"answer": []})");
  EXPECT_FALSE(use_note(path, use));
  write_file(path, R"({"answer": 42})");
  EXPECT_TRUE(use_note(path, use));
  EXPECT_EQ(seen, 42);
}

}  // namespace
}  // namespace verbund
