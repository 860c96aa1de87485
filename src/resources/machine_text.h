// SPDX-License-Identifier: Apache-2.0
// Parsers of the text files in which Linux describes a process and its machine (/proc and /sys, see proc(5)). They take
// text and return numbers, or nothing if the text is malformed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace verbund {

struct ProcessStat {
  uint64_t threads = 0;
  uint64_t resident_pages = 0;
};
std::optional<ProcessStat> parse_process_stat(std::string_view text);  // /proc/self/stat

struct CpuTicks {  // since the machine booted
  uint64_t user = 0;
  uint64_t system = 0;  // with interrupts
  uint64_t iowait = 0;
  uint64_t steal = 0;  // used by other virtual machines
  uint64_t idle = 0;
};
std::optional<CpuTicks> parse_cpu_ticks(std::string_view text);            // /proc/stat, all cores together
std::optional<CpuTicks> parse_cpu_ticks(std::string_view text, int core);  // one of them

std::optional<uint64_t> parse_available_memory(std::string_view text);  // /proc/meminfo; bytes
std::optional<double> parse_pressure(std::string_view text);            // /proc/pressure/*; share of the last 10 s
std::optional<double> parse_load(std::string_view text);                // /proc/loadavg; of the last minute
std::optional<double> parse_thousandths(std::string_view text);         // of a degree, in thermal zones; of a MHz

struct InterfaceCounters {
  std::string name;
  uint64_t received_bytes = 0, received_packets = 0;
  uint64_t sent_bytes = 0, sent_packets = 0;
};
std::vector<InterfaceCounters> parse_interfaces(std::string_view text);  // /proc/net/dev

struct DiskCounters {
  std::string name;
  uint64_t read_bytes = 0, written_bytes = 0;
};
std::vector<DiskCounters> parse_disks(std::string_view text);  // /proc/diskstats, with partitions

}  // namespace verbund
