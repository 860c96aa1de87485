// Translations of an evaluation as a table of TensorBoard's page of texts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tensorboard/tensorboard_events.h"

namespace verbund {

struct TranslationSample {
  std::string source, reference, translation;
};

inline constexpr const char* kSamplesTag = "samples";
inline constexpr size_t kMostSamples = 10;

EventValue sample_table(const std::vector<TranslationSample>& samples);

// Text as it is, for what TensorBoard takes for Markdown and turns into HTML with Python's Markdown: characters that
// mean something there become character references. One line; what is no UTF-8 becomes U+FFFD.
std::string escape_for_markdown(std::string_view text);

}  // namespace verbund
