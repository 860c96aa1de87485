// SPDX-License-Identifier: Apache-2.0
// Values for TensorBoard's plugins: the layout of the custom charts, the hyper-parameters in the table of runs, and
// translations of an evaluation on the page of texts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "config/config.h"
#include "core/json.h"
#include "tensorboard/tensorboard_events.h"

namespace verbund {

inline constexpr const char* kLayoutTag = "custom_scalars__config__";

// Custom charts of curves that belong together: train and dev loss in one, and so on.
EventValue chart_layout();

inline constexpr const char* kRunBeginTag = "_hparams_/session_start_info";
inline constexpr const char* kRunEndTag = "_hparams_/session_end_info";

// A flat object with the settings that differ from the defaults, and those that everybody looks for.
Json hyper_parameters(const Config& config);

// `seconds` since 1970.
EventValue run_begin(const Json& settings, double seconds);
EventValue run_end(double seconds);

struct TranslationSample {
  std::string source, reference, translation;
};

inline constexpr const char* kSamplesTag = "samples";
inline constexpr size_t kMaxSamples = 10;

EventValue sample_table(const std::vector<TranslationSample>& samples);

// Escapes text for the page of texts, which Python's Markdown turns into HTML: characters with a meaning there become
// character references. The result is one line; invalid UTF-8 becomes U+FFFD.
std::string escape_for_markdown(std::string_view text);

}  // namespace verbund
