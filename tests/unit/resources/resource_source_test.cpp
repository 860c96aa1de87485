// SPDX-License-Identifier: Apache-2.0
#include "resources/resource_source.h"

#include <gmock/gmock.h>

#include <cmath>

#include "support/temporary_folder.h"

namespace verbund {
namespace {

namespace fs = std::filesystem;
using ::testing::Contains;
using ::testing::ElementsAre;

// A made /proc and /sys.
class ResourceSources : public ::testing::Test {
 protected:
  void file(const std::string& path, const std::string& text) const {
    fs::create_directories((folder_ / path).parent_path());
    folder_.write(path, text);
  }
  static std::vector<double> read(const ResourceSource& source) {
    std::vector<double> values(source.columns.size(), NAN);
    source.read(values);
    return values;
  }
  static std::vector<std::string> names(const ResourceSource& source) {
    std::vector<std::string> all;
    for (const auto& column : source.columns) all.push_back(column.column.name);
    return all;
  }

  const TemporaryFolder folder_;
  const SystemFolders folders_ = {folder_ / "proc", folder_ / "sys"};
};

TEST_F(ResourceSources, WithoutAnyFileThereIsOnlyWhatTheProcessTellsOfItself) {
  size_t columns = 0;
  for (const ResourceSource& source : resource_sources(true, folders_)) {
    if (source.columns.empty()) continue;
    std::vector<double> values(source.columns.size(), NAN);
    source.read(values);
    if (source.columns[0].column.name.starts_with("gpu.")) continue;  // of the machine that runs the test
    columns += source.columns.size();
  }
  EXPECT_EQ(columns, 8u);
}

TEST_F(ResourceSources, TheProcessOnThisMachine) {
  const ResourceSource source = process_source({});
  const auto values = read(source);
  EXPECT_GT(values[0], 1 << 20) << "bytes";
  EXPECT_GE(values[1], 1) << "threads";
  EXPECT_GT(values[4], 0) << "page faults";
  EXPECT_EQ(source.columns[2].kind, ResourceSource::kCounted);
}

TEST_F(ResourceSources, OnlyTheFirstWorkerOfAHostSamplesTheHost) {
  file("proc/loadavg", "1.5 1 1 1/2 3\n");
  EXPECT_EQ(resource_sources(false, folders_).size(), 1u);
  std::vector<std::string> all;
  for (const ResourceSource& source : resource_sources(true, folders_)) {
    for (const auto& column : source.columns) all.push_back(column.column.name);
  }
  EXPECT_THAT(all, Contains("host.load1"));
}

TEST_F(ResourceSources, AFileThatVanishesLeavesNoValue) {
  file("proc/loadavg", "1.5 1 1 1/2 3\n");
  const ResourceSource source = load_source(folders_);
  EXPECT_THAT(read(source), ElementsAre(1.5));
  fs::remove(folder_ / "proc/loadavg");
  EXPECT_THAT(read(source), ElementsAre(::testing::IsNan()));
}

TEST_F(ResourceSources, PressureOfWhatTheKernelTells) {
  file("proc/pressure/cpu", "some avg10=50.00 avg60=1 avg300=1 total=1\n");
  file("proc/pressure/memory", "some avg10=10.00 avg60=1 avg300=1 total=1\n");
  const ResourceSource source = pressure_source(folders_);
  EXPECT_THAT(names(source), ElementsAre("host.pressure_cpu", "host.pressure_memory"));
  EXPECT_THAT(read(source), ElementsAre(0.5, 0.1));
}

TEST_F(ResourceSources, TheHottestSensorAndTheMeanClock) {
  file("sys/class/thermal/thermal_zone0/temp", "40000\n");
  file("sys/class/thermal/cooling_device0/temp", "99000\n");
  file("sys/class/hwmon/hwmon1/temp2_input", "55000\n");
  file("sys/class/hwmon/hwmon1/temp2_max", "100000\n");
  EXPECT_THAT(read(temperature_source(folders_)), ElementsAre(55));
  file("sys/devices/system/cpu/cpufreq/policy0/scaling_cur_freq", "2000000\n");
  file("sys/devices/system/cpu/cpufreq/policy1/scaling_cur_freq", "3000000\n");
  EXPECT_THAT(read(frequency_source(folders_)), ElementsAre(2500));
}

TEST_F(ResourceSources, InterfacesThatComeAndGo) {
  file("proc/net/dev", "lo: 1 2 0 0 0 0 0 0 3 4 0\neth0: 5 6 0 0 0 0 0 0 7 8 0\n");
  const ResourceSource source = interface_source(folders_);
  EXPECT_THAT(names(source), Contains("net.eth0.sent_packets"));
  EXPECT_THAT(read(source), ElementsAre(1, 3, 2, 4, 5, 7, 6, 8));
  file("proc/net/dev", "new: 9 9 9 9 9 9 9 9 9 9 9\neth0: 6 6 0 0 0 0 0 0 7 8 0\n");
  EXPECT_EQ(read(source)[4], 6);
  EXPECT_TRUE(std::isnan(read(source)[0]));
}

TEST_F(ResourceSources, WholeDisksOnly) {
  file("proc/diskstats",
       "7 0 loop0 1 1 1 1 1 1 1 1\n8 0 sda 1 1 2 1 1 1 3 1\n8 1 sda1 1 1 2 1 1 1 3 1\n9 0 ram0 1 1 1 1 1 1 1 1\n");
  fs::create_directories(folder_ / "sys/block/sda");
  fs::create_directories(folder_ / "sys/block/loop0");
  const ResourceSource source = disk_source(folders_);
  EXPECT_THAT(names(source), ElementsAre("disk.sda.read_bytes", "disk.sda.written_bytes"));
  EXPECT_THAT(read(source), ElementsAre(1024, 1536));
}

}  // namespace
}  // namespace verbund
