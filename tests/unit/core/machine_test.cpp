#include "core/machine.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "core/process.h"

namespace verbund {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(Machine, KnowsItself) {
  const Machine machine = this_machine();
  EXPECT_FALSE(machine.host.empty());
  EXPECT_GE(machine.cores, 1);
  EXPECT_GT(machine.memory_bytes, free_memory() / 2);
  EXPECT_THAT(machine.system, StartsWith("Linux "));
  EXPECT_EQ(to_json(machine).at("cores"), machine.cores);
}

TEST(Machine, TheCommandLineHasAllItsWords) {
  ASSERT_FALSE(command_line().empty());
  EXPECT_THAT(command_line().front(), HasSubstr("core_test"));
}

}  // namespace
}  // namespace verbund
