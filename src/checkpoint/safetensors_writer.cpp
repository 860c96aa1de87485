#include <bit>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "checkpoint/safetensors.h"
#include "core/error.h"

namespace verbund {
namespace {

static_assert(std::endian::native == std::endian::little, "tensors are written as they lie in memory");

constexpr size_t kAlignment = 64;  // of the first tensor: a cache line, the widest SIMD register

std::string quoted(const std::string& text) { return nlohmann::json(text).dump(); }

// What would make a file that no reader accepts is refused before anything is written.
void check(const fs::path& path, std::span<const TensorView> tensors) {
  std::unordered_set<std::string> names;
  for (const TensorView& tensor : tensors) {
    if (tensor.name == kSafetensorsMetadataKey || !names.insert(tensor.name).second) {
      fail("cannot write {}: {} tensor may be named {}", path.string(),
           tensor.name == kSafetensorsMetadataKey ? "no" : "only one", quoted(tensor.name));
    }
    const auto size = tensor_size(tensor.shape, tensor.dtype);
    if (size != tensor.bytes.size()) {
      fail("cannot write {}: the tensor {} has {} bytes, but {} {} takes {}", path.string(), tensor.name,
           tensor.bytes.size(), dtype_name(tensor.dtype), show_shape(tensor.shape),
           size ? std::to_string(*size) : "more than can be");
    }
  }
}

std::string header_of(std::span<const TensorView> tensors, const SafetensorsMetadata& metadata) {
  std::vector<std::string> entries;
  if (!metadata.empty()) {
    entries.push_back(fmt::format("\"{}\":{}", kSafetensorsMetadataKey, nlohmann::json(metadata).dump()));
  }
  uint64_t offset = 0;
  for (const TensorView& tensor : tensors) {
    const uint64_t end = offset + tensor.bytes.size();
    entries.push_back(fmt::format(R"({}:{{"dtype":"{}","shape":[{}],"data_offsets":[{},{}]}})", quoted(tensor.name),
                                  dtype_name(tensor.dtype), fmt::join(tensor.shape, ","), offset, end));
    offset = end;
  }
  std::string header = fmt::format("{{{}}}", fmt::join(entries, ","));
  while ((sizeof(uint64_t) + header.size()) % kAlignment != 0) header += ' ';
  return header;
}

}  // namespace

FileSummary write_safetensors(const fs::path& path, std::span<const TensorView> tensors,
                              const SafetensorsMetadata& metadata) try {
  check(path, tensors);
  const std::string header = header_of(tensors, metadata);
  const uint64_t header_size = header.size();
  if (header_size > kSafetensorsLargestHeader) {
    fail("cannot write {}: the header takes {} bytes, readers accept {}. Use fewer tensors or shorter names.",
         path.string(), header_size, kSafetensorsLargestHeader);
  }
  ChecksummedFile file(path);
  file.write({reinterpret_cast<const char*>(&header_size), sizeof(header_size)});
  file.write(header);
  for (const TensorView& tensor : tensors) {
    file.write({reinterpret_cast<const char*>(tensor.bytes.data()), tensor.bytes.size()});
  }
  return file.commit();
} catch (const nlohmann::json::exception& error) {
  fail("cannot write {}: a name or metadata is not UTF-8 ({})", path.string(), error.what());
}

}  // namespace verbund
