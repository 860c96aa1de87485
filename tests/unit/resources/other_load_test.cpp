// SPDX-License-Identifier: Apache-2.0
#include "resources/other_load.h"

#include <gtest/gtest.h>

#include "core/machine.h"
#include "support/busy_processes.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

TEST(OtherLoad, SeesOtherProcesses) {
  const std::vector<int> cores = allowed_cores();
  const BusyProcesses busy(cores.size());
  EXPECT_GT(OtherLoad(cores).cores_used(), 0.7 * static_cast<double>(cores.size()));
}

TEST(OtherLoad, ItsOwnProcessIsNoOther) {
  const TemporaryFolder folder;
  folder.write("stat", "cpu  0 0 0 0 0 0 0 0\ncpu0 100 0 0 0 0 0 0 0\n");
  const OtherLoad load({0}, folder.path());
  EXPECT_EQ(load.cores_used(), 0);
  folder.write("stat", "cpu  0 0 0 0 0 0 0 0\ncpu0 900 0 0 0 0 0 0 0\n");  // more seconds than have passed
  EXPECT_EQ(load.cores_used(), 1);
  EXPECT_EQ(OtherLoad({7}, folder.path()).cores_used(), 0) << "a core that is not there";
}

TEST(OtherLoad, CrowdedIsWhereThreadsLackCores) {
  EXPECT_FALSE(is_crowded(2, 2, 0.2));
  EXPECT_TRUE(is_crowded(2, 2, 0.5));
  EXPECT_FALSE(is_crowded(2, 8, 6));
  EXPECT_TRUE(is_crowded(2, 8, 7));
  EXPECT_FALSE(is_crowded(64, 64, 6));
  EXPECT_FALSE(is_crowded(8, 2, 0)) << "too many threads are another matter";
}

TEST(OtherLoad, LoadAverage) {
  const TemporaryFolder folder;
  EXPECT_LT(load_average(folder.path()), 0);
  folder.write("loadavg", "20.25 9.00 4.00 3/200 4242\n");
  EXPECT_EQ(load_average(folder.path()), 20.25);
}

}  // namespace
}  // namespace verbund
