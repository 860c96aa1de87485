// SPDX-License-Identifier: Apache-2.0
// Writer and reader of resources/rank-N.start-K.bin: resources that a worker and its host used, one row per second. The
// file names its columns. See docs/formats.md.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "core/append_file.h"
#include "core/json.h"

namespace verbund {

struct ResourceColumn {
  std::string name;  // "process.cpu_user"
  std::string unit;  // "cores"
  std::string meaning;

  bool operator==(const ResourceColumn&) const = default;
};

struct ResourceHeader {
  int rank = 0;
  std::string host;
  uint32_t start = 0;
  std::vector<ResourceColumn> columns;

  bool operator==(const ResourceHeader&) const = default;
};

std::string to_json_text(const ResourceHeader& header);
// Throws a JSON exception if a key is missing or of another type.
ResourceHeader parse_resource_header(const Json& json);

struct ResourceRow {
  double time = 0;            // seconds since 1970 on the clock of worker 0, at the end of the second
  std::vector<float> values;  // one per column; NaN: it could not be read
};

std::filesystem::path resources_path(const std::filesystem::path& run, int rank, uint32_t start);

class ResourceWriter {
 public:
  ResourceWriter(const std::filesystem::path& path, const ResourceHeader& header);

  // The row must have as many values as the header has columns. False: it could not be written, see `errno`.
  bool add(const ResourceRow& row);

 private:
  const size_t columns_;
  RecordFile file_;
};

struct Resources {
  ResourceHeader header;
  std::vector<double> times;               // by row
  std::vector<std::vector<float>> values;  // by column, then by row

  // Empty if there is no such column.
  std::span<const float> column(const std::string& name) const;
};

// Ignores an incomplete row at the end; refuses a damaged header.
Resources read_resources(const std::filesystem::path& path);

}  // namespace verbund
