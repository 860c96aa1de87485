#include "data/stages.h"

#include <gtest/gtest.h>

#include <fstream>

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
      return Stages::Json(key + " done");
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

TEST_F(StagesTest, AFailureIsNotRemembered) {
  Stages stages(folder_ / "stages.json");
  EXPECT_THROW(stages.run("one", "a", {}, []() -> Stages::Json { throw std::runtime_error("no"); }),
               std::runtime_error);
  EXPECT_TRUE(run("a"));
}

TEST_F(StagesTest, ADamagedMemoryForgets) {
  EXPECT_TRUE(run("a"));
  folder_.write("stages.json", "{\"one\": ");
  EXPECT_TRUE(run("a"));
}

}  // namespace
}  // namespace verbund
