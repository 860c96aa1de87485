// SPDX-License-Identifier: Apache-2.0
#include "core/machine.h"
#include "core/json.h"

#include <gmock/gmock.h>
#include <sys/utsname.h>

#include <fstream>

#include "core/file.h"
#include "core/process.h"

namespace verbund {
namespace {

using ::testing::SizeIs;

TEST(Machine, IsTheOneThatTheKernelDescribes) {
  utsname names = {};
  ASSERT_EQ(::uname(&names), 0);
  int cores = 0;
  std::ifstream statistics("/proc/stat");
  for (std::string line; std::getline(statistics, line);) cores += line.starts_with("cpu") && line[3] != ' ';
  std::string name;
  uint64_t kilobytes = 0;
  std::ifstream("/proc/meminfo") >> name >> kilobytes;
  ASSERT_EQ(name, "MemTotal:");

  const Machine machine = this_machine();
  EXPECT_EQ(machine.host, names.nodename);
  EXPECT_EQ(machine.system, fmt::format("{} {}", names.sysname, names.release));
  EXPECT_EQ(machine.cores, cores);
  EXPECT_EQ(machine.memory_bytes, kilobytes * 1024);
  EXPECT_EQ(to_json(machine).at("memory_bytes"), machine.memory_bytes);
}

TEST(Machine, TheCommandLineHasAllItsWords) {
  ASSERT_FALSE(command_line().empty());
  EXPECT_EQ(fs::path(command_line().front()).filename(), fs::read_symlink("/proc/self/exe").filename());
}

TEST(Machine, AThreadForEachAllowedCoreUnlessANumberIsSet) {
  EXPECT_THAT(allowed_cores(), SizeIs(::testing::Le(static_cast<size_t>(machine_cores()))));
  EXPECT_LE(usable_cores(), machine_cores());
  EXPECT_EQ(thread_count(0), std::min(static_cast<int>(allowed_cores().size()), usable_cores()));
  EXPECT_EQ(thread_count(3), 3);
}

}  // namespace
}  // namespace verbund
