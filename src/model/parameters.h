// SPDX-License-Identifier: Apache-2.0
// ParameterTable lays out all parameters of a model in one flat buffer, and their gradients in another: the optimizer,
// the gradient reducer and the checkpoint see one array; the model sees names.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "config/model_config.h"

namespace verbund {

enum class Start { kZero, kOne, kEmbedding, kDense };

struct Parameter {
  std::string name;
  std::vector<int64_t> shape;
  int64_t offset = 0;  // in floats; a multiple of 16
  int64_t size = 0;
  Start start = Start::kZero;
};

struct VocabularySizes {
  int64_t source = 0;
  int64_t target = 0;
};

// Names, shapes and offsets, in the order in which forward uses them.
class ParameterTable {
 public:
  ParameterTable(const ModelConfig& config, VocabularySizes vocabularies);

  const std::vector<Parameter>& all() const { return parameters_; }
  const Parameter& find(const std::string& name) const;
  bool has(const std::string& name) const;
  int64_t buffer_size() const { return buffer_size_; }  // floats, with the gaps between parameters
  int64_t count() const;                                // of parameters, without the gaps

  // Fills `values` as a pure function of the seed.
  void initialize(uint64_t seed, std::span<float> values) const;

 private:
  void add(const std::string& name, std::vector<int64_t> shape, Start start);
  void add_norm(const std::string& name, int64_t d);
  void add_linear(const std::string& name, int64_t out, int64_t in, bool bias);

  std::vector<Parameter> parameters_;
  int64_t buffer_size_ = 0;
};

}  // namespace verbund
