// SPDX-License-Identifier: Apache-2.0
// provenance.json records when, where, by what and from what a dataset was made. It is not part of the checksum of the
// dataset. See docs/formats.md.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "config/corpus_config.h"
#include "core/json.h"

namespace verbund {

struct Maker {
  std::string program;               // version and commit
  std::vector<std::string> command;  // as it was given
};

// A text that the dataset was made from.
struct ProvenanceInput {
  std::string split;
  ParallelFiles files;
  std::optional<uint64_t> lines = std::nullopt;  // counted if unknown
};

// `stages` is Stages::memory().
Json dataset_provenance(const Maker& maker, const std::vector<ProvenanceInput>& inputs, const Json& stages);

}  // namespace verbund
