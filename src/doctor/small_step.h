// One step of a small model, to compute on two devices and compare.
#pragma once

#include "device/device.h"
#include "doctor/facts.h"

namespace verbund {

// The same model, sentences and dropout wherever it is computed.
StepFacts small_step(Device& device);

}  // namespace verbund
