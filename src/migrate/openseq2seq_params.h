// SPDX-License-Identifier: Apache-2.0
// OpenSeq2SeqParams are the parameters of an OpenSeq2Seq configuration, by path ("encoder_params.hidden_size"). They
// remember which were used, so that the others can be named.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "migrate/python_config.h"

namespace verbund {

class OpenSeq2SeqParams {
 public:
  // base_params with those of a mode ("train_params") over them, value by value.
  OpenSeq2SeqParams(const PythonFile& file, const std::string& mode);

  // Null if there is none; None counts as none.
  const PythonValue* take(const std::string& path);
  std::optional<double> number(const std::string& path);
  std::optional<std::string> text(const std::string& path);
  std::optional<std::string> name(const std::string& path);  // AdamOptimizer: of tf.train.AdamOptimizer, or a text
  bool is_none(const std::string& path);                     // that it is there and None

  // What was not used: single values, not dictionaries.
  using Use = std::function<void(const std::string& path, const PythonValue& value)>;
  void for_unused(const Use& use) const;

  const PythonValue* find(const std::string& path) const;

 private:
  PythonValue root_;
  std::set<std::string> used_;
};

// The value as it is shown in a comment.
std::string shown(const PythonValue& value);

// Why a key has no counterpart in ours, by its last part; a general reason for keys that are not known.
const char* reason_without_counterpart(std::string_view key);

// The learning-rate policy, the optimiser and the loss scaling -> ours (openseq2seq_optim.cpp).
class ConvertedConfig;
void convert_schedule(OpenSeq2SeqParams& theirs, ConvertedConfig& ours);
void convert_optimizer(OpenSeq2SeqParams& theirs, ConvertedConfig& ours);
void convert_loss_scale(OpenSeq2SeqParams& theirs, ConvertedConfig& ours);

}  // namespace verbund
