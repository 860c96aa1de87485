// SPDX-License-Identifier: Apache-2.0
// TensorMap holds the tensors of a foreign model by name, as floats. What is taken must have the expected shape, and
// what nobody takes is named: a model is imported as a whole or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "checkpoint/safetensors.h"

namespace verbund {

struct ForeignTensor {
  std::vector<int64_t> shape;
  std::vector<float> values;
  Dtype dtype = Dtype::kF32;  // in the file
};

// Elements of floating-point types as floats; refuses other types, and bytes that do not fit the shape.
ForeignTensor to_floats(const TensorView& tensor);

class TensorMap {
 public:
  explicit TensorMap(fs::path file) : file_(std::move(file)) {}

  void add(const std::string& name, ForeignTensor tensor);
  bool has(const std::string& name) const { return tensors_.contains(name); }
  const ForeignTensor& at(const std::string& name) const;
  ForeignTensor take(const std::string& name);
  // Fails if the shape is another one.
  std::vector<float> take(const std::string& name, const std::vector<int64_t>& shape);
  std::vector<float> take_transposed(const std::string& name, int64_t rows, int64_t columns);  // -> [columns, rows]
  // Drops a tensor that must be the same as another one, if it is there.
  void drop_copy(const std::string& name, const std::vector<float>& same);
  // Fails if a tensor is left.
  void expect_empty() const;

 private:
  fs::path file_;
  std::map<std::string, ForeignTensor> tensors_;
};

TensorMap read_safetensors_tensors(const fs::path& path);
// The file that torch.save writes for a state_dict: a zip archive with a pickle and the tensors' bytes.
TensorMap read_torch_tensors(const fs::path& path);
// The file that numpy.savez and Marian write: a zip archive of .npy files. `texts` receives the arrays of bytes.
TensorMap read_npz_tensors(const fs::path& path, std::map<std::string, std::string>& texts);

}  // namespace verbund
