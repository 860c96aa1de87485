// SPDX-License-Identifier: Apache-2.0
#include "resources/machine_text.h"

#include <gmock/gmock.h>

namespace verbund {
namespace {

const std::string kStat =
    "11097 (a ) b) R 9391 9391 4018 0 -1 4194304 100 0 2 0 31 7 0 0 20 0 12 0 1195636 3133440 417 18446744073709551615 "
    "94487942971392 94487942991273 140726062094240 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0 94487943007280 0 0 0 0 0 0 0\n";

TEST(MachineText, Process) {
  const auto stat = parse_process_stat(kStat);
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->threads, 12u);
  EXPECT_EQ(stat->resident_pages, 417u);
  EXPECT_FALSE(parse_process_stat(""));
  EXPECT_FALSE(parse_process_stat("1 (a"));
  EXPECT_FALSE(parse_process_stat("1 (a) R 1 2 3"));
  EXPECT_FALSE(parse_process_stat(kStat.substr(0, kStat.find(" 417"))));
}

TEST(MachineText, CpuTicks) {
  const auto ticks = parse_cpu_ticks(
      "cpu  929077 681548 373590 385687 6712 10 3399 2683 0 0\n"
      "cpu0 470613 340672 177171 197483 3064 0 338 1349 0 0\n");
  ASSERT_TRUE(ticks);
  EXPECT_EQ(ticks->user, 929077u + 681548);
  EXPECT_EQ(ticks->system, 373590u + 10 + 3399);
  EXPECT_EQ(ticks->iowait, 6712u);
  EXPECT_EQ(ticks->steal, 2683u);
  EXPECT_EQ(ticks->idle, 385687u);
  const std::string both = "cpu  3 3 3 3 3 3 3 3\ncpu0 1 1 1 1 1 1 1 1\ncpu10 2 2 2 2 2 2 2 2\nintr 5\n";
  EXPECT_EQ(parse_cpu_ticks(both, 0)->user, 2u);
  EXPECT_EQ(parse_cpu_ticks(both, 10)->user, 4u);
  EXPECT_FALSE(parse_cpu_ticks(both, 1));
  EXPECT_FALSE(parse_cpu_ticks(""));
  EXPECT_FALSE(parse_cpu_ticks("cpu0 1 2 3 4 5 6 7 8\n"));
  EXPECT_FALSE(parse_cpu_ticks("cpu 1 2 3 x 5 6 7 8\n"));
}

TEST(MachineText, Memory) {
  EXPECT_EQ(parse_available_memory("MemTotal:       24684112 kB\nMemFree:  1 kB\nMemAvailable:   23379096 kB\n"),
            23379096ULL * 1024);
  EXPECT_FALSE(parse_available_memory("MemTotal:       24684112 kB\n"));
  EXPECT_FALSE(parse_available_memory("MemAvailable:   many kB\n"));
  EXPECT_FALSE(parse_available_memory("MemAvailable:"));
}

TEST(MachineText, Pressure) {
  const std::string text =
      "some avg10=68.99 avg60=20.40 avg300=16.37 total=7035890823\nfull avg10=1.00 avg60=0.00 avg300=0.00 total=0\n";
  EXPECT_DOUBLE_EQ(parse_pressure(text).value(), 0.6899);
  EXPECT_FALSE(parse_pressure(text.substr(text.find("full"))));
  EXPECT_FALSE(parse_pressure("some avg10=nan avg60=0"));
  EXPECT_FALSE(parse_pressure("some avg10= avg60=0"));
  EXPECT_FALSE(parse_pressure(""));
}

TEST(MachineText, LoadAndSensors) {
  EXPECT_EQ(parse_load("2.44 1.35 1.49 13/151 11140\n"), 2.44);
  EXPECT_FALSE(parse_load("2.44"));
  EXPECT_FALSE(parse_load("inf 1 1"));
  EXPECT_EQ(parse_thousandths("45500\n"), 45.5);
  EXPECT_EQ(parse_thousandths("-5000\n"), -5);
  EXPECT_FALSE(parse_thousandths("45 500"));
  EXPECT_FALSE(parse_thousandths("<unknown>\n"));
  EXPECT_FALSE(parse_thousandths(""));
}

TEST(MachineText, Interfaces) {
  const std::string text =
      "Inter-|   Receive                                                |  Transmit\n"
      " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls "
      "carrier\n"
      "    lo: 3979641975  403072    0    0    0     0          0         0 3979641976  403073    0    0    0     0\n"
      "  eth0:1 2 0 0 0 0 0 0 9 10 0 0 0 0 0 0\n"
      "eth0:1: 5 6 0 0 0 0 0 0 7 8 0 0 0 0 0 0\n"
      "  cut: 1 2 3\n";
  const auto interfaces = parse_interfaces(text);
  ASSERT_EQ(interfaces.size(), 3u);
  EXPECT_EQ(interfaces[0].name, "lo");
  EXPECT_EQ(interfaces[0].received_bytes, 3979641975u);
  EXPECT_EQ(interfaces[0].received_packets, 403072u);
  EXPECT_EQ(interfaces[0].sent_bytes, 3979641976u);
  EXPECT_EQ(interfaces[0].sent_packets, 403073u);
  EXPECT_EQ(interfaces[1].name, "eth0");
  EXPECT_EQ(interfaces[1].sent_bytes, 9u);
  EXPECT_EQ(interfaces[2].name, "eth0:1");
  EXPECT_TRUE(parse_interfaces("").empty());
  for (size_t size = 0; size < text.size(); ++size) EXPECT_LE(parse_interfaces(text.substr(0, size)).size(), 3u);
}

TEST(MachineText, Disks) {
  const std::string text =
      "   7       0 loop0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
      " 254       0 vda 1393439 130593 762489098 3285249 1528010 254872 198549040 1197176 0 611932 4657767 691651 36\n"
      " 254       1 vda1 1 2 3 4\n";
  const auto disks = parse_disks(text);
  ASSERT_EQ(disks.size(), 2u);
  EXPECT_EQ(disks[1].name, "vda");
  EXPECT_EQ(disks[1].read_bytes, 762489098ULL * 512);
  EXPECT_EQ(disks[1].written_bytes, 198549040ULL * 512);
  for (size_t size = 0; size < text.size(); ++size) EXPECT_LE(parse_disks(text.substr(0, size)).size(), 2u);
}

}  // namespace
}  // namespace verbund
