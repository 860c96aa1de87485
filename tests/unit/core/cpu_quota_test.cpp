// SPDX-License-Identifier: Apache-2.0
#include "core/cpu_quota.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/file.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

void write(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  write_file(file, text);
}

TEST(CpuQuota, OfVersion2IsTheSmallestOfAGroupAndThoseAroundIt) {
  const TemporaryFolder root;
  write(root.path() / "a/cpu.max", "150000 100000\n");
  write(root.path() / "a/b/cpu.max", "max 100000\n");
  write(root.path() / "a/b/c/cpu.max", "400000 100000\n");
  EXPECT_EQ(cpu_quota(root.path(), "0::/a/b/c\n"), 1.5);
  EXPECT_EQ(cpu_quota(root.path(), "0::/a/b\n"), 1.5);
  EXPECT_TRUE(std::isinf(cpu_quota(root.path(), "0::/\n")));
}

TEST(CpuQuota, InAContainerTheRootIsItsOwnGroup) {
  const TemporaryFolder root;
  write(root.path() / "cpu.max", "200000 100000\n");
  EXPECT_EQ(cpu_quota(root.path(), "0::/\n"), 2);
  EXPECT_EQ(cpu_quota(root.path(), "0::/kubepods/that/only/the/host/has\n"), 2);
}

TEST(CpuQuota, OfVersion1) {
  const TemporaryFolder root;
  write(root.path() / "cpu,cpuacct/job/cpu.cfs_quota_us", "300000\n");
  write(root.path() / "cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  write(root.path() / "cpu/free/cpu.cfs_quota_us", "-1\n");
  write(root.path() / "cpu/free/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cpu_quota(root.path(), "4:memory:/job\n2:cpu,cpuacct:/job\n0::/\n"), 3);
  EXPECT_TRUE(std::isinf(cpu_quota(root.path(), "2:cpu:/free\n")));
}

TEST(CpuQuota, NothingReadableIsNoLimit) {
  const TemporaryFolder root;
  write(root.path() / "bad/cpu.max", "nonsense\n");
  EXPECT_TRUE(std::isinf(cpu_quota(root.path(), "0::/bad\nnot a line\n")));
  EXPECT_TRUE(std::isinf(cpu_quota(root.path(), "")));
}

}  // namespace
}  // namespace verbund
