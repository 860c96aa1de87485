// SPDX-License-Identifier: Apache-2.0
#include "core/control_groups.h"

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

TEST(MemoryLeftInGroups, IsTheLeastOfAGroupAndThoseAroundIt) {
  const TemporaryFolder root;
  write(root.path() / "pod/memory.max", "1000000\n");
  write(root.path() / "pod/memory.current", "700000\n");
  write(root.path() / "pod/memory.stat", "anon 500000\ninactive_file 150000\nactive_file 50000\n");
  write(root.path() / "pod/one/memory.max", "max\n");
  EXPECT_EQ(memory_left_in_groups(root.path(), "0::/pod/one\n"), 450000u);
  EXPECT_EQ(memory_left_in_groups(root.path(), "0::/\n"), UINT64_MAX);
  write(root.path() / "pod/memory.current", "2000000\n");
  EXPECT_EQ(memory_left_in_groups(root.path(), "0::/pod\n"), 0u);
}

TEST(MemoryLeftInGroups, OfVersion1) {
  const TemporaryFolder root;
  write(root.path() / "memory/job/memory.limit_in_bytes", "1000000\n");
  write(root.path() / "memory/job/memory.usage_in_bytes", "400000\n");
  write(root.path() / "memory/job/memory.stat", "inactive_file 1\ntotal_inactive_file 100000\n");
  write(root.path() / "memory/free/memory.limit_in_bytes", "9223372036854771712\n");
  EXPECT_EQ(memory_left_in_groups(root.path(), "2:cpu:/job\n4:memory:/job\n"), 700000u);
  EXPECT_EQ(memory_left_in_groups(root.path(), "4:memory:/free\n"), UINT64_MAX);
}

}  // namespace
}  // namespace verbund
