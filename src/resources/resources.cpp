// SPDX-License-Identifier: Apache-2.0
#include "resources/resources.h"

#include <cstring>

#include "core/error.h"
#include "core/file.h"
#include "core/json_file.h"

namespace verbund {
namespace {

constexpr std::string_view kMagic = "VBresrc\n";
constexpr uint32_t kVersion = 1;
constexpr size_t kFixed = 16;  // magic, version, length of the JSON header
constexpr const char* kAdvice = "Move it away to continue without it.";

size_t row_size(size_t columns) { return sizeof(double) + columns * sizeof(float); }

template <typename Value>
void append(std::string& bytes, const Value& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
}

template <typename Value>
Value value_at(std::string_view bytes, size_t offset) {
  Value value;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::string file_header(const ResourceHeader& header) {
  const std::string json = to_json_text(header);
  std::string bytes(kMagic);
  append(bytes, kVersion);
  append(bytes, static_cast<uint32_t>(json.size()));
  return bytes + json;
}

// Returns the offset of the rows; 0: the writer was killed before the header was complete.
size_t read_header(std::string_view bytes, const std::string& path, ResourceHeader& header) {
  if (bytes.substr(0, kMagic.size()) != kMagic.substr(0, bytes.size())) {
    fail("{} is not a file of resources: it does not begin with \"VBresrc\". {}", path, kAdvice);
  }
  if (bytes.size() < kFixed) return 0;
  if (const auto version = value_at<uint32_t>(bytes, 8); version != kVersion) {
    fail("{} has format version {}, but this program reads version {}. {}", path, version, kVersion, kAdvice);
  }
  const size_t size = value_at<uint32_t>(bytes, 12);
  if (bytes.size() < kFixed + size) return 0;
  header = use_json(std::string(bytes.substr(kFixed, size)), path, kAdvice, parse_resource_header);
  return kFixed + size;
}

}  // namespace

std::string to_json_text(const ResourceHeader& header) {
  Json json = {{"rank", header.rank}, {"host", header.host}, {"start", header.start}, {"columns", Json::array()}};
  for (const ResourceColumn& column : header.columns) {
    json["columns"].push_back({{"name", column.name}, {"unit", column.unit}, {"meaning", column.meaning}});
  }
  return dump_json(json);
}

ResourceHeader parse_resource_header(const Json& json) {
  ResourceHeader header = {json.at("rank"), json.at("host"), json.at("start"), {}};
  for (const Json& column : json.at("columns")) {
    header.columns.push_back({column.at("name"), column.at("unit"), column.at("meaning")});
  }
  return header;
}

fs::path resources_path(const fs::path& run, int rank, uint32_t start) {
  return run / "resources" / fmt::format("rank-{}.start-{}.bin", rank, start);
}

ResourceWriter::ResourceWriter(const fs::path& path, const ResourceHeader& header)
    : columns_(header.columns.size()), file_(path, file_header(header), row_size(header.columns.size())) {}

bool ResourceWriter::add(const ResourceRow& row) {
  if (row.values.size() != columns_) {
    fail("a row of resources has {} values, but there are {} columns", row.values.size(), columns_);
  }
  std::string bytes;
  append(bytes, row.time);
  for (const float value : row.values) append(bytes, value);
  return file_.add(bytes);
}

std::span<const float> Resources::column(const std::string& name) const {
  for (size_t i = 0; i < header.columns.size(); ++i) {
    if (header.columns[i].name == name) return values[i];
  }
  return {};
}

Resources read_resources(const fs::path& path) {
  const MappedFile file(path);
  const std::string_view bytes = file.bytes();
  Resources resources;
  const size_t begin = read_header(bytes, path.string(), resources.header);
  const size_t columns = resources.header.columns.size(), size = row_size(columns);
  const size_t rows = begin == 0 ? 0 : (bytes.size() - begin) / size;
  resources.times.resize(rows);
  resources.values.assign(columns, std::vector<float>(rows));
  for (size_t row = 0; row < rows; ++row) {
    const size_t at = begin + row * size;
    resources.times[row] = value_at<double>(bytes, at);
    for (size_t i = 0; i < columns; ++i) {
      resources.values[i][row] = value_at<float>(bytes, at + sizeof(double) + i * sizeof(float));
    }
  }
  return resources;
}

}  // namespace verbund
