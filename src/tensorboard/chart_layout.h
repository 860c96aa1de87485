// The layout of TensorBoard's page of custom charts: what belongs together in one, train and dev loss first of all.
#pragma once

#include "tensorboard/tensorboard_events.h"

namespace verbund {

inline constexpr const char* kLayoutTag = "custom_scalars__config__";

EventValue chart_layout();

}  // namespace verbund
