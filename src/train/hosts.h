// The machines of a run as its record tells of them, asked of all workers.
#pragma once

#include <nlohmann/json.hpp>

#include "collectives/workers.h"
#include "device/device.h"

namespace verbund {

// By all workers together: one object per host, with the machine, its workers' ranks and threads, and what computes.
nlohmann::ordered_json describe_hosts(Workers& workers, const Device& device, int threads);

}  // namespace verbund
