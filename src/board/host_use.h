// SPDX-License-Identifier: Apache-2.0
// The use of the hosts of a run in its last minutes: processors, memory, network and GPUs of every worker, and the
// share of a step in which each waits.
#pragma once

#include <filesystem>
#include <optional>

#include "board/watched_run.h"
#include "resources/resources.h"

namespace verbund {

// The last rows of a file of resources, at most `rows`, without reading the others. Nothing if the file is missing or
// damaged.
std::optional<Resources> read_last_resources(const std::filesystem::path& path, size_t rows);

// [{"rank", "host", "name", "now": {...}, "time": [...], "cpu": [...], "memory": [...], "received", "sent", "gpu",
// ...}] Needs refreshed steps for the shares of waiting.
Json hosts_json(const WatchedRun& run);

}  // namespace verbund
