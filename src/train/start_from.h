// SPDX-License-Identifier: Apache-2.0
// start_from gives a new run the weights of a trained model, to fine-tune it (train.start_from).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "checkpoint/safetensors.h"
#include "config/train_config.h"
#include "data/dataset.h"
#include "decode/trained_model.h"
#include "model/transformer.h"
#include "text/subwords.h"

namespace verbund {

// PieceRows are the rows that the pieces of a vocabulary have in the embedding of another model.
struct PieceRows {
  static constexpr TokenId kNone = -1;

  std::vector<TokenId> rows;  // of each piece; kNone: the other vocabulary does not have it
  size_t known() const;       // pieces that have a row
};

// Finds each piece of `vocabulary` in `other` by its text; the special ones have the same ids in all.
PieceRows rows_in(const Subwords& other, const Subwords& vocabulary);

// Copies the parameters that `weights` has with the same name and shape, and the rows of embeddings. Returns the number
// of parameters copied, whole or in part.
size_t carry_over(const SafetensorsFile& weights, const PieceRows& source, const PieceRows& target,
                  const ParameterTable& table, std::span<float> values);

// Whether the dataset was made with the subword model of the trained model. If not, it is refused with the command that
// makes it so, unless config.start_from_vocabulary is map.
bool has_vocabulary_of(const ModelFiles& model, const Dataset& dataset, const TrainConfig& config);

// Returns a sentence that says what was copied. Refuses a dataset with another subword model, unless
// config.start_from_vocabulary is map.
std::string start_from(const TrainConfig& config, const Dataset& dataset, const Subwords& source,
                       const Subwords& target, TranslationModel& model);

}  // namespace verbund
