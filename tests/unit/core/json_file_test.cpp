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
