// SPDX-License-Identifier: Apache-2.0
// provenance.json records when, where, by what and from what a dataset was made. It is not part of the checksum of the
// dataset. See docs/formats.md.
#pragma once

#include <string>
#include <vector>

#include "core/json.h"
#include "data/corpus_source.h"

namespace verbund {

struct Maker {
  std::string program;               // version and commit
  std::vector<std::string> command;  // as it was given
};

// `train_lines` of each training corpus may be empty if unknown; `stages` is Stages::memory().
Json dataset_provenance(const Maker& maker, const CorpusSource& sources, const std::vector<uint64_t>& train_lines,
                        const Json& stages);

}  // namespace verbund
