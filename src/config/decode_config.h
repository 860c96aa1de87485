// SPDX-License-Identifier: Apache-2.0
// DecodeConfig: beam search and sampling of translations.
#pragma once

#include <cstdint>

#include "config/fields.h"

namespace verbund {

struct DecodeConfig {
  int64_t beam = 4;
  double length_penalty = 0.6;
  double length_offset = 5;
  double max_ratio = 1;
  int64_t max_extra = 50;
  int64_t max_tokens = 0;
  int64_t batch_tokens = 2048;
  int64_t sample_top = 0;
  double temperature = 1;

  void fields(FieldVisitor& visit) {
    visit.field("beam", beam, {1, 1000}, "unfinished translations kept per sentence; 1: greedy");
    visit.field("length_penalty", length_penalty, {0, 10},
                "a translation's score is its log-probability / ((length_offset + length) / (length_offset + "
                "1))^length_penalty");
    visit.field("length_offset", length_offset, {0, 1000},
                "5: as in the paper of Wu et al.; 0: length^length_penalty, as in Marian and Hugging Face");
    visit.field("max_ratio", max_ratio, {0, 1000}, "a translation has at most max_ratio times the source's tokens ...");
    visit.field("max_extra", max_extra, {0, 100000}, "... plus this many");
    visit.field("max_tokens", max_tokens, {0, 1000000},
                "longer source lines are split at the ends of sentences; 0: the batch.max_length of training");
    visit.field("batch_tokens", batch_tokens, {1, 10000000}, "source tokens translated together");
    visit.field("sample_top", sample_top, {0, 1000000},
                "top-k sampling: draw each token from the k most likely ones (beam 1); 0: beam search");
    visit.field("temperature", temperature, {0.01, 100},
                "sampling temperature: below 1 more cautious, above 1 more varied");
  }
};

}  // namespace verbund
