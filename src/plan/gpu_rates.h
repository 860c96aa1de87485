// What GPUs can do, by their names: peaks from NVIDIA's data sheets, and which share of them a training step reaches.
// None of it has been measured here.
#pragma once

#include <string>
#include <vector>

#include "plan/compute_rates.h"

namespace verbund {

std::vector<std::string> known_gpus();  // "v100", ...

// Refuses a GPU that is not known, and a precision that it does not have.
ComputeRates rates_of_gpu(const std::string& name, Precision precision);

// What it has instead of fp32, at its best: fp16 on those without bf16.
Precision fastest_precision(const std::string& gpu);

}  // namespace verbund
