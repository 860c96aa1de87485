// The machine that this process runs on.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace verbund {

struct Machine {
  std::string host;
  std::string processor;  // "AMD EPYC 9R14"
  int cores = 1;
  uint64_t memory_bytes = 0;
  std::string system;  // "Linux 6.1.0-13-amd64"
};

Machine this_machine();

std::string host_name();
// Of this machine since it was started, whatever names it goes by; "" if that is not known.
std::string boot_id();
int machine_cores();

nlohmann::ordered_json to_json(const Machine& machine);

}  // namespace verbund
