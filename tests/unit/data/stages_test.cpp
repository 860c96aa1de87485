// SPDX-License-Identifier: Apache-2.0
#include "data/stages.h"

#include <gtest/gtest.h>

#include <fstream>

#include "core/file.h"
#include "core/json.h"
#include "core/log.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

class StagesTest : public ::testing::Test {
 protected:
  // Runs one stage in a new process's place; true if it worked.
  bool run(const std::string& key) {
    bool worked = false;
    Stages stages(folder_ / "stages.json");
    const auto result = stages.run("one", key, {folder_ / "output"}, [&] {
      worked = true;
      folder_.write("output", key);
      return Json(key + " done");
    });
    EXPECT_EQ(result, key + " done");
    return worked;
  }

  TemporaryFolder folder_;
};

TEST_F(StagesTest, DoneOnceIsDone) {
  EXPECT_TRUE(run("a"));
  EXPECT_FALSE(run("a"));
}

TEST_F(StagesTest, AnotherKeyIsOtherWork) {
  EXPECT_TRUE(run("a"));
  EXPECT_TRUE(run("b"));
  EXPECT_TRUE(run("a"));
}

TEST_F(StagesTest, AChangedOutputIsMadeAgain) {
  EXPECT_TRUE(run("a"));
  folder_.write("output", "something else");
  EXPECT_TRUE(run("a"));
  std::filesystem::remove(folder_ / "output");
  EXPECT_TRUE(run("a"));
}

TEST_F(StagesTest, DamageIsSeenWithSizeAndTimeKept) {
  EXPECT_TRUE(run("a"));
  const auto written = std::filesystem::last_write_time(folder_ / "output");
  folder_.write("output", "b");
  std::filesystem::last_write_time(folder_ / "output", written);
  EXPECT_TRUE(run("a"));
}

// The copy is as good as the original, and looks at its own files.
TEST_F(StagesTest, ACopiedFolderStandsAlone) {
  EXPECT_TRUE(run("a"));
  const TemporaryFolder copy;
  for (const char* name : {"stages.json", "output"}) std::filesystem::copy_file(folder_ / name, copy / name);
  const auto run_in_copy = [&] {
    bool worked = false;
    Stages(copy / "stages.json").run("one", "a", {copy / "output"}, [&] {
      worked = true;
      return Json(copy.write("output", "a").string());
    });
    return worked;
  };
  EXPECT_FALSE(run_in_copy());
  std::filesystem::remove(copy / "output");
  EXPECT_TRUE(run_in_copy());
  EXPECT_FALSE(run("a"));
}

// What an earlier version remembered: absolute paths, times instead of checksums.
TEST_F(StagesTest, AnotherVersionsMemoryForgets) {
  EXPECT_TRUE(run("a"));
  folder_.write("stages.json", R"({"one": {"key": "a", "outputs": {")" + (folder_ / "output").string() +
                                   R"(": {"size": 1, "written": 12345}}, "result": "a done"}})");
  EXPECT_TRUE(run("a"));
  folder_.write("stages.json", R"({"one": {"key": 3, "outputs": null}, "two": []})");
  EXPECT_TRUE(run("a"));
}

TEST_F(StagesTest, AFailureIsNotRemembered) {
  Stages stages(folder_ / "stages.json");
  EXPECT_THROW(stages.run("one", "a", {}, []() -> Json { throw std::runtime_error("no"); }), std::runtime_error);
  EXPECT_TRUE(run("a"));
}

TEST_F(StagesTest, ADamagedMemoryForgets) {
  EXPECT_TRUE(run("a"));
  folder_.write("stages.json", "{\"one\": ");
  EXPECT_TRUE(run("a"));
}

// Every byte of the record, changed, removed or doubled: the stage is kept or runs again, and its result is right.
TEST_F(StagesTest, NoDamageOfTheMemoryEndsTheWork) {
  set_log_level(LogLevel::kWarning);
  EXPECT_TRUE(run("a"));
  const std::string whole = read_file(folder_ / "stages.json");
  for (size_t i = 0; i < whole.size(); ++i) {
    for (const std::string& byte : {std::string(1, static_cast<char>(whole[i] ^ 1)), std::string(), std::string("9")}) {
      folder_.write("stages.json", whole.substr(0, i) + byte + whole.substr(i + 1));
      run("a");
      ASSERT_FALSE(run("a")) << i;
    }
  }
  set_log_level(LogLevel::kInfo);
}

TEST_F(StagesTest, AResultOfAnotherTypeIsMadeAgain) {
  EXPECT_TRUE(run("a"));
  Json memory = parse_json(read_file(folder_ / "stages.json"));
  memory["one"]["result"] = 3;
  folder_.write("stages.json", dump_json(memory));
  EXPECT_TRUE(run("a"));
  memory["one"].erase("result");
  folder_.write("stages.json", dump_json(memory));
  EXPECT_TRUE(run("a"));
}

}  // namespace
}  // namespace verbund
