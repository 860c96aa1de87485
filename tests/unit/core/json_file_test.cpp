// SPDX-License-Identifier: Apache-2.0
#include "core/json_file.h"

#include <gmock/gmock.h>

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
