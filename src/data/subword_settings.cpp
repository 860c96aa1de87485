// SPDX-License-Identifier: Apache-2.0
#include "data/subword_settings.h"

#include "core/error.h"

namespace verbund {

std::string subword_settings(const Dataset& dataset) {
  std::string source = fmt::format("--set subwords.model={}", dataset.source_model().string());
  if (dataset.source_model() == dataset.target_model()) return source;
  return fmt::format("{} --set subwords.target_model={}", source, dataset.target_model().string());
}

}  // namespace verbund
