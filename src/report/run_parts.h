// Parts of reading a run folder that are ideas of their own.
#pragma once

#include "report/run_data.h"

namespace verbund {

// run.json: the record itself, starts and hosts.
void read_record(RunData& run);

// The times of starts to a fraction of a second, from the history, where there is one; and when a start that was killed
// had given its last sign of life.
void complete_starts(RunData& run);

// At most kResourceRows rows, each the mean of neighbours: days of seconds on many workers would fill the memory.
inline constexpr size_t kResourceRows = 2000;
Resources thin_resources(Resources resources);

// Which files in `evaluation_files` are worth reading: at most kJudgedEvaluations, evenly spread, with the last, and
// those with the lowest loss.
inline constexpr size_t kJudgedEvaluations = 40;
std::vector<size_t> choose_evaluations(const RunData& run);

// Only losses and tokens; up to the first line that is damaged.
SentenceLosses read_sentence_losses(int64_t step, const fs::path& path);

}  // namespace verbund
