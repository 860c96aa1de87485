// SPDX-License-Identifier: Apache-2.0
// convert_openseq2seq makes our configuration from one of OpenSeq2Seq's Transformer. docs/from-openseq2seq.md has the
// table for people.
#pragma once

#include <cstdint>
#include <string>

#include "migrate/python_config.h"

namespace verbund {

// What their file does not tell.
struct OpenSeq2SeqSurroundings {
  int64_t workers = 0;        // GPUs it ran on; 0: as the file says, or 1
  double average_tokens = 0;  // of a training sentence with </s>, the longer side; 0: assumed
  std::string data;           // the dataset that this average is of
  bool assumes = true;        // false: without such an average, tokens are not known
};

// YAML that `verbund config --show` reads; whatever has no counterpart is named in a comment with its reason.
std::string convert_openseq2seq(const PythonFile& file, const OpenSeq2SeqSurroundings& surroundings);

}  // namespace verbund
