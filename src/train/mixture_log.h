// SPDX-License-Identifier: Apache-2.0
// The mixture's lines in the log, its values in metrics.jsonl, and the corpora of run.json. A training on one corpus
// without stages has no such lines in the log.
#pragma once

#include <string>
#include <vector>

#include "core/json.h"
#include "mixture/mixture_progress.h"

namespace verbund {

// The corpora, their pairs and shares, one line for each stage, and where a run is that is resumed after `steps`.
std::vector<std::string> mixture_lines(const MixtureProgress& progress, bool resumed, int64_t steps);

// {"pairs_seen.europarl": 12345, "epochs_seen.europarl": 1.42, "stage": 1}
Json mixture_values(const MixtureProgress& progress);

// The stage that begins, for the log and for history.jsonl. `seen`: the pairs of the stage before it.
std::string stage_line(const MixtureProgress& progress, const PairCounts& seen);
Json stage_details(const MixtureProgress& progress, const PairCounts& seen);

// [{"name": "europarl", "pairs": 123456, "usable_pairs": 123400, "weight": 1, "tag": "<2de>"}, ...]
Json corpora_json(const MixtureProgress& progress);

}  // namespace verbund
