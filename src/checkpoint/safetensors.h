// Files of named tensors in the safetensors format, which Python's safetensors package
// reads and writes too: 8 bytes with the length of the header, the header in JSON, then
// the tensors' bytes without gaps. docs/checkpoints.md is the page for people.
#pragma once

#include <map>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "checkpoint/tensor_view.h"
#include "core/checksummed_file.h"
#include "core/file.h"

namespace verbund {

using SafetensorsMetadata = std::map<std::string, std::string>;

// Writes the tensors in the given order; the first starts at a multiple of 64 bytes.
// The file is complete or absent.
FileSummary write_safetensors(const fs::path& path, std::span<const TensorView> tensors,
                              const SafetensorsMetadata& metadata = {});

// Maps a file into memory. Everything the header says is checked against the file, so that
// every tensor lies where and is as large as it should; damage is refused by name.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(const fs::path& path);

  // In the order of their bytes; they live as long as this object.
  const std::vector<TensorView>& tensors() const { return tensors_; }
  const TensorView* find(const std::string& name) const;  // nullptr if there is none
  const TensorView& at(const std::string& name) const;    // an error if there is none
  const SafetensorsMetadata& metadata() const { return metadata_; }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
  MappedFile file_;
  std::vector<TensorView> tensors_;
  std::unordered_map<std::string, size_t> index_;  // by name
  SafetensorsMetadata metadata_;
};

// The parts of the format that both sides share.
inline constexpr const char* kSafetensorsMetadataKey = "__metadata__";
inline constexpr uint64_t kSafetensorsLargestHeader = 100'000'000;  // the limit of other readers

}  // namespace verbund
