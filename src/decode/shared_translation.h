// SPDX-License-Identifier: Apache-2.0
// SharedTranslation translates with several workers: each line is translated by one of them.
#pragma once

#include <string>

#include "collectives/workers.h"
#include "core/json.h"
#include "decode/translator.h"

namespace verbund {

class SharedTranslation {
 public:
  SharedTranslation(const Translator& translator, Workers& workers) : translator_(translator), workers_(workers) {}

  // Worker 0 has the lines and gets the translations, in order. `tell` counts the lines, estimated from its own share.
  std::vector<std::vector<Translation>> translate(const std::vector<Line>& lines, const TellDone& tell = {});
  // Called by worker 0 when there are no more lines.
  void finish();
  // Called by the other workers; returns when worker 0 has finished.
  void assist();

  uint64_t target_tokens() const { return target_tokens_; }  // of all workers, with </s>

 private:
  std::vector<std::vector<Translation>> translate_share(const std::vector<Line>& all, const TellDone& tell = {});

  const Translator& translator_;
  Workers& workers_;
  uint64_t target_tokens_ = 0;
};

}  // namespace verbund
