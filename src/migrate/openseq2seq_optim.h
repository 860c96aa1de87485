// OpenSeq2Seq's learning-rate policy, optimiser and loss scaling -> ours.
#pragma once

#include "migrate/converted_config.h"
#include "migrate/openseq2seq_params.h"

namespace verbund {

void convert_schedule(OpenSeq2SeqParams& theirs, ConvertedConfig& ours);
void convert_optimizer(OpenSeq2SeqParams& theirs, ConvertedConfig& ours);
void convert_loss_scale(OpenSeq2SeqParams& theirs, ConvertedConfig& ours);

// A number as YAML has it: 512, 1e-09.
std::string number_text(double number);

}  // namespace verbund
