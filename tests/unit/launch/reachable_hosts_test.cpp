#include "launch/reachable_hosts.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "support/expect_error.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(RshCommand, WordsOfTheAgent) {
  EXPECT_THAT(rsh_command(""), ElementsAre("ssh"));
  EXPECT_THAT(rsh_command(" ssh -p  2222 "), ElementsAre("ssh", "-p", "2222"));
}

TEST(RshCommand, ABlankOneIsRefused) {
  EXPECT_ERROR(rsh_command("   "), UsageError, HasSubstr("--rsh \"   \" is blank"));
  EXPECT_ERROR(HostProbe("\t"), UsageError, HasSubstr("is blank"));
}

}  // namespace
}  // namespace verbund
