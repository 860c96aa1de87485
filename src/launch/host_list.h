// Which hosts a job may use and how many workers each of them takes, as the user gives it:
// `-H a:2,b:2` or a host file. Workers fill the hosts in the order of the list.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace verbund {

struct Host {
  std::string name;
  int slots = 1;

  bool operator==(const Host&) const = default;
};

// "a:2,b" -> a with 2 slots, b with 1. A host that is named twice gets the sum.
std::vector<Host> parse_host_list(const std::string& text);

// A host file as Open MPI reads it: one host per line, `slots=N` behind it, `#` before a comment.
// `file` is for messages.
std::vector<Host> parse_host_file(std::string_view text, const std::string& file);

int total_slots(const std::vector<Host>& hosts);

// The first `workers` slots: hosts that remain without a worker are left out.
std::vector<Host> used_hosts(const std::vector<Host>& hosts, int workers);

// Where worker `rank` runs; "" if there are not as many slots.
std::string host_of_worker(const std::vector<Host>& hosts, int rank);

std::string describe_workers(int count);                     // "1 worker", "4 workers"
std::string describe_hosts(const std::vector<Host>& hosts);  // "a (2), b (2)"

}  // namespace verbund
