// TensorBoard's table of runs: the settings of each, beside the last values of its tags.
#pragma once

#include <nlohmann/json.hpp>

#include "config/config.h"
#include "tensorboard/tensorboard_events.h"

namespace verbund {

inline constexpr const char* kRunBeginTag = "_hparams_/session_start_info";
inline constexpr const char* kRunEndTag = "_hparams_/session_end_info";

// As a flat object: whatever differs from the defaults, and what everybody asks for.
nlohmann::ordered_json hyper_parameters(const Config& config);

// `seconds` since 1970.
EventValue run_begin(const nlohmann::ordered_json& settings, double seconds);
EventValue run_end(double seconds);

}  // namespace verbund
