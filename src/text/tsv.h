// SPDX-License-Identifier: Apache-2.0
// TSV: a pair on each line, in two of its columns. They are the first two, or those that the first line names.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "config/corpus_config.h"
#include "text/pair_stream.h"

namespace verbund {

// Whether the first line of a file names the columns of both sides: by the languages of its corpus, as codes (en finds
// en-US) or in English, or as ParallelFiles::columns has them. Refuses a line that names one of the languages alone.
bool names_columns(std::string_view first_line, const ParallelFiles& files);

// "TSV with the columns en-US and de-DE"; without names, the first pair is shown.
std::string describe_tsv(std::string_view first_line, const ParallelFiles& files, bool named);

std::unique_ptr<PairStream> open_tsv(const ParallelFiles& files, bool named);

}  // namespace verbund
