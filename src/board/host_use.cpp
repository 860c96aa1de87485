// SPDX-License-Identifier: Apache-2.0
#include "board/host_use.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cstring>

#include "board/numbers.h"
#include "core/error.h"

namespace verbund {
namespace {

constexpr size_t kRows = 600;  // seconds
constexpr int64_t kSteps = 200;
constexpr uint32_t kLongestHeader = 1 << 20;

bool read_exactly(int file, char* bytes, size_t size, uint64_t offset) {
  return file_system().pread(file, bytes, size, offset) == static_cast<ssize_t>(size);
}

// The sum of the columns whose names begin and end so, row by row. Empty if there is none.
std::vector<double> sum_of(const Resources& resources, std::string_view begin, std::string_view end) {
  std::vector<double> sums;
  for (size_t column = 0; column < resources.header.columns.size(); ++column) {
    const std::string& name = resources.header.columns[column].name;
    if (!name.starts_with(begin) || !name.ends_with(end) || name.starts_with("net.lo.")) continue;
    if (sums.empty()) sums.assign(resources.times.size(), kNotKnown);
    for (size_t row = 0; row < sums.size(); ++row) {
      const double value = resources.values[column][row];
      if (is_known(value)) sums[row] = (is_known(sums[row]) ? sums[row] : 0) + value;
    }
  }
  return sums;
}

double last_of(const std::vector<double>& values) {
  for (size_t i = values.size(); i > 0; --i) {
    if (is_known(values[i - 1])) return values[i - 1];
  }
  return kNotKnown;
}

struct Use {
  const char *key, *begin, *end;
};
constexpr Use kUses[] = {
    {"cpu", "process.cpu_", ""},
    {"memory", "process.memory_bytes", ""},
    {"host_cpu_user", "host.cpu_user", ""},
    {"host_cpu_idle", "host.cpu_idle", ""},
    {"host_cpu_steal", "host.cpu_steal", ""},
    {"host_memory_available", "host.memory_available_bytes", ""},
    {"received", "net.", ".received_bytes"},
    {"sent", "net.", ".sent_bytes"},
    {"gpu", "gpu.", ".use"},
    {"gpu_memory", "gpu.", ".memory_bytes"},
};

Json waiting_of(const WatchedRun& run, int rank) {
  const auto found = run.phases().find(rank);
  if (found == run.phases().end()) return nullptr;
  const int64_t last = found->second.last_step();
  const std::vector<PhaseBucket> recent = found->second.over(last - kSteps + 1, last, 1);
  if (recent.empty() || !(recent.front().seconds > 0)) return nullptr;
  const PhaseBucket& all = recent.front();
  const auto share = [&](double seconds) { return json_number(seconds / all.seconds); };
  return {{"steps", all.steps},
          {"seconds_per_step", json_number(all.seconds / static_cast<double>(all.steps))},
          {"data", share(all.waited)},
          {"compute", share(all.compute)},
          {"exchange", share(all.exposed)},
          {"update", share(all.update)}};
}

}  // namespace

std::optional<Resources> read_last_resources(const fs::path& path, size_t rows) {
  const OpenFile file(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  struct stat status = {};
  if (!file || ::fstat(file.descriptor(), &status) != 0 || !S_ISREG(status.st_mode)) return std::nullopt;
  char head[16];
  if (!read_exactly(file.descriptor(), head, sizeof head, 0) || std::memcmp(head, "VBresrc\n", 8) != 0) {
    return std::nullopt;
  }
  uint32_t length = 0;
  std::memcpy(&length, head + 12, sizeof length);
  if (length > kLongestHeader) return std::nullopt;
  std::string text(length, '\0');
  if (!read_exactly(file.descriptor(), text.data(), length, sizeof head)) return std::nullopt;

  Resources resources;
  try {
    resources.header = parse_resource_header(parse_json(text));
  } catch (const Json::exception&) {
    return std::nullopt;
  }
  const size_t columns = resources.header.columns.size(), row_size = sizeof(double) + columns * sizeof(float);
  const uint64_t begin = sizeof head + length;
  const auto size = static_cast<uint64_t>(status.st_size);
  const uint64_t all = size > begin ? (size - begin) / row_size : 0;
  const uint64_t first = all > rows ? all - rows : 0;
  std::string bytes((all - first) * row_size, '\0');
  if (!read_exactly(file.descriptor(), bytes.data(), bytes.size(), begin + first * row_size)) return std::nullopt;
  resources.values.resize(columns);
  for (size_t row = 0; row < all - first; ++row) {
    const char* at = bytes.data() + row * row_size;
    std::memcpy(&resources.times.emplace_back(), at, sizeof(double));
    for (size_t column = 0; column < columns; ++column) {
      std::memcpy(&resources.values[column].emplace_back(), at + sizeof(double) + column * sizeof(float),
                  sizeof(float));
    }
  }
  return resources;
}

Json hosts_json(const WatchedRun& run) {
  Json list = Json::array();
  if (run.starts().empty()) return list;
  const auto start = static_cast<uint32_t>(run.starts().back().number);
  for (const HostFacts& host : run.hosts()) {
    for (const int rank : host.workers) {
      Json worker = {{"rank", rank},
                     {"host", host.name},
                     {"cores", json_number(host.cores)},
                     {"allowed_cores", json_number(host.allowed_cores)},
                     {"memory_bytes", json_number(host.memory_bytes)},
                     {"processor", host.processor},
                     {"waiting", waiting_of(run, rank)},
                     {"now", Json::object()}};
      if (const auto resources = read_last_resources(resources_path(run.folder(), rank, start), kRows)) {
        worker["time"] = Json::array();
        for (const double time : resources->times) worker["time"].push_back(json_time(time));
        for (const Use& use : kUses) {
          const std::vector<double> values = sum_of(*resources, use.begin, use.end);
          if (values.empty()) continue;
          worker["now"][use.key] = json_number(last_of(values));
          worker[use.key] = json_numbers(values);
        }
      }
      list.push_back(std::move(worker));
    }
  }
  return list;
}

}  // namespace verbund
