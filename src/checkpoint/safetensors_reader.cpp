// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/safetensors.h"

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>

#include "core/error.h"

namespace verbund {
namespace {

// A tensor without its bytes, and their place in the data.
struct PlacedTensor {
  TensorView tensor;
  uint64_t begin = 0;
  uint64_t end = 0;
};

class HeaderReader {
 public:
  explicit HeaderReader(const fs::path& path) : path_(path) {}

  // Removes the header from `bytes`, which leaves the data.
  nlohmann::json read(std::string_view& bytes) const {
    uint64_t size = 0;
    if (bytes.size() < sizeof(size)) damaged("it has {} bytes, fewer than the length of a header needs", bytes.size());
    std::memcpy(&size, bytes.data(), sizeof(size));
    bytes.remove_prefix(sizeof(size));
    if (size > bytes.size()) damaged("its header should have {} bytes, but only {} follow", size, bytes.size());
    if (size > kSafetensorsLargestHeader) {
      damaged("its header has {} bytes, at most {} are allowed", size, kSafetensorsLargestHeader);
    }
    const std::string_view header = bytes.substr(0, size);
    bytes.remove_prefix(size);
    // The JSON library stops at a zero byte and would ignore the rest.
    if (!header.starts_with('{') || header.find('\0') != std::string_view::npos) {
      damaged("its header is not a JSON object");
    }
    return parse(header);
  }

  SafetensorsMetadata metadata(const nlohmann::json& json) const {
    SafetensorsMetadata metadata;
    if (!json.is_object()) damaged("{} is not a map of texts", kSafetensorsMetadataKey);
    for (const auto& [key, value] : json.items()) {
      if (!value.is_string()) damaged("{} of {} is not a text", key, kSafetensorsMetadataKey);
      metadata.emplace(key, value.get<std::string>());
    }
    return metadata;
  }

  PlacedTensor tensor(const std::string& name, const nlohmann::json& json) const {
    for (const char* key : {"dtype", "shape", "data_offsets"}) {
      if (!json.is_object() || !json.contains(key)) damaged("the tensor {} has no {}", name, key);
    }
    TensorView tensor;
    tensor.name = name;
    tensor.dtype = dtype(name, json["dtype"]);
    for (const uint64_t length : numbers(name, "shape", json["shape"])) {
      tensor.shape.push_back(static_cast<int64_t>(length));
    }
    const std::vector<uint64_t> offsets = numbers(name, "data_offsets", json["data_offsets"]);
    if (offsets.size() != 2 || offsets[0] > offsets[1]) {
      damaged("data_offsets of the tensor {} are {:.40}, but must be [begin, end]", name, json["data_offsets"].dump());
    }
    const auto size = tensor_size(tensor.shape, tensor.dtype);
    if (size != offsets[1] - offsets[0]) {
      damaged("the tensor {} has {} bytes, but {} {} takes {}", name, offsets[1] - offsets[0], dtype_name(tensor.dtype),
              show_shape(tensor.shape), size ? std::to_string(*size) : "more than 64 bits");
    }
    return {std::move(tensor), offsets[0], offsets[1]};
  }

  template <typename... Args>
  [[noreturn]] void damaged(fmt::format_string<Args...> format, Args&&... args) const {
    fail("{} is damaged: {}", path_.string(), fmt::format(format, std::forward<Args>(args)...));
  }

 private:
  // A duplicate key would hide a tensor: the library alone keeps the last one. Endless nesting would exhaust the stack
  // of the parser.
  nlohmann::json parse(std::string_view header) const {
    constexpr int kDeepest = 8;               // a shape lies at 3
    std::vector<std::set<std::string>> keys;  // of the objects that are open
    const auto watch = [&](int depth, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
      if (depth > kDeepest) damaged("its header is nested more than {} deep", kDeepest);
      if (event == nlohmann::json::parse_event_t::object_start) keys.emplace_back();
      if (event == nlohmann::json::parse_event_t::object_end) keys.pop_back();
      if (event == nlohmann::json::parse_event_t::key && !keys.back().insert(parsed.get<std::string>()).second) {
        damaged("the key {} is twice in its header", parsed.get<std::string>());
      }
      return true;
    };
    try {
      return nlohmann::json::parse(header, watch);
    } catch (const nlohmann::json::exception& error) {
      damaged("its header is not JSON: {}", error.what());
    }
  }

  Dtype dtype(const std::string& name, const nlohmann::json& json) const {
    if (!json.is_string()) damaged("dtype of the tensor {} is not a text", name);
    const auto found = find_dtype(json.get<std::string>());
    if (!found) {
      fail("{}: the tensor {} has the dtype {}, which this program does not know", path_.string(), name,
           json.get<std::string>());
    }
    return *found;
  }

  std::vector<uint64_t> numbers(const std::string& name, const char* key, const nlohmann::json& json) const {
    std::vector<uint64_t> numbers;
    if (!json.is_array()) damaged("{} of the tensor {} is not a list", key, name);
    for (const nlohmann::json& item : json) {
      if (!item.is_number_unsigned() || item.get<uint64_t>() > INT64_MAX) {
        damaged("{} of the tensor {} has {:.40} where a whole number belongs", key, name, item.dump());
      }
      numbers.push_back(item.get<uint64_t>());
    }
    return numbers;
  }

  const fs::path& path_;
};

}  // namespace

SafetensorsFile::SafetensorsFile(const fs::path& path) : path_(path), file_(path) {
  const HeaderReader reader(path_);
  std::string_view data = file_.bytes();
  const nlohmann::json header = reader.read(data);

  std::vector<PlacedTensor> found;
  for (const auto& [name, value] : header.items()) {
    if (name == kSafetensorsMetadataKey) {
      metadata_ = reader.metadata(value);
    } else {
      found.push_back(reader.tensor(name, value));
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const PlacedTensor& a, const PlacedTensor& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });

  uint64_t covered = 0;  // by the tensors so far
  for (auto& [tensor, begin, end] : found) {
    if (begin != covered) {
      reader.damaged("the tensor {} starts at byte {} of the data, but the previous one ends at {}", tensor.name, begin,
                     covered);
    }
    if (end > data.size()) {
      reader.damaged("the tensor {} ends at byte {} of the data, but there are {}", tensor.name, end, data.size());
    }
    covered = end;
    tensor.bytes = std::as_bytes(std::span(data.substr(begin, end - begin)));
    index_.emplace(tensor.name, tensors_.size());
    tensors_.push_back(std::move(tensor));
  }
  if (covered != data.size()) reader.damaged("its tensors take {} bytes, but there are {}", covered, data.size());
}

const TensorView* SafetensorsFile::find(const std::string& name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &tensors_[found->second];
}

const TensorView& SafetensorsFile::at(const std::string& name) const {
  const TensorView* tensor = find(name);
  if (tensor == nullptr) fail("{} has no tensor {}", path_.string(), name);
  return *tensor;
}

}  // namespace verbund
