// SPDX-License-Identifier: Apache-2.0
#include "checkpoint/safetensors.h"

#include <array>
#include <bit>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "core/error.h"

namespace verbund {
namespace {

struct DtypeRow {
  std::string_view name;
  uint64_t size;
};

// Names and sizes in the order of the enumerators.
constexpr std::array<DtypeRow, 15> kDtypes = {{{"BOOL", 1},
                                               {"U8", 1},
                                               {"I8", 1},
                                               {"F8_E5M2", 1},
                                               {"F8_E4M3", 1},
                                               {"I16", 2},
                                               {"U16", 2},
                                               {"F16", 2},
                                               {"BF16", 2},
                                               {"I32", 4},
                                               {"U32", 4},
                                               {"F32", 4},
                                               {"F64", 8},
                                               {"I64", 8},
                                               {"U64", 8}}};
static_assert(kDtypes.size() == static_cast<size_t>(Dtype::kU64) + 1);

static_assert(std::endian::native == std::endian::little, "tensors are written as they lie in memory");

constexpr size_t kAlignment = 64;  // of the first tensor: a cache line, the widest SIMD register

std::string quoted(const std::string& text) { return nlohmann::json(text).dump(); }

// Refuses, before anything is written, tensors that would make a file that no reader accepts.
void check_tensors(const fs::path& path, std::span<const TensorView> tensors) {
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
           size ? std::to_string(*size) : "more than 64 bits");
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

std::string_view dtype_name(Dtype dtype) { return kDtypes[static_cast<size_t>(dtype)].name; }

uint64_t dtype_size(Dtype dtype) { return kDtypes[static_cast<size_t>(dtype)].size; }

std::optional<Dtype> find_dtype(std::string_view name) {
  for (size_t i = 0; i < kDtypes.size(); ++i) {
    if (kDtypes[i].name == name) return static_cast<Dtype>(i);
  }
  return std::nullopt;
}

std::optional<uint64_t> tensor_size(std::span<const int64_t> shape, Dtype dtype) {
  uint64_t size = dtype_size(dtype);
  for (const int64_t length : shape) {
    if (length < 0 || __builtin_mul_overflow(size, static_cast<uint64_t>(length), &size)) return std::nullopt;
  }
  return size;
}

std::string show_shape(std::span<const int64_t> shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

FileSummary write_safetensors(const fs::path& path, std::span<const TensorView> tensors,
                              const SafetensorsMetadata& metadata) try {
  check_tensors(path, tensors);
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
