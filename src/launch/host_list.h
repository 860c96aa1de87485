// SPDX-License-Identifier: Apache-2.0
// Hosts of a job and the number of workers (slots) on each, as the user gives them: `-H a:2,b:2` or a host file.
// Workers fill the hosts in the order of the list.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace verbund {

inline constexpr int kMaxSlots = 100000;  // of a host; more is a typing error

struct Host {
  std::string name;
  int slots = 1;

  bool operator==(const Host&) const = default;
};

// "a:2,b" -> a with 2 slots, b with 1. The slots of a host named twice are added.
std::vector<Host> parse_host_list(const std::string& text);

// A host file as Open MPI reads it: one host per line, followed by `slots=N`; `#` begins a comment. A line may also be
// in the notation of -H, as scripts that discover hosts print it: `a:2`. `file` is for messages.
std::vector<Host> parse_host_file(std::string_view text, const std::string& file);

int total_slots(const std::vector<Host>& hosts);

// The first `workers` slots; hosts left without a worker are omitted.
std::vector<Host> used_hosts(const std::vector<Host>& hosts, int workers);

// The host of worker `rank`; "" if there are not enough slots.
std::string host_of_worker(const std::vector<Host>& hosts, int rank);

std::string describe_workers(int count);  // "1 worker", "4 workers"
// "a (2), b (2)"; of many hosts the first ones, and how many others there are.
std::string describe_hosts(const std::vector<Host>& hosts);

}  // namespace verbund
