// SPDX-License-Identifier: Apache-2.0
// memory_advice tells the user how to reduce memory use when an allocation on a device fails.
#pragma once

#include <string_view>

namespace verbund {

// Advice by the purpose of an allocation: batches size the activations, beams the kv cache, the model everything else.
inline const char* memory_advice(std::string_view purpose) {
  if (purpose == "activations" || purpose.starts_with("intermediate results")) {
    return "use smaller batches (batch.tokens, train.micro_batch_tokens) or a smaller model";
  }
  if (purpose == "the kv cache") return "translate fewer tokens at once (decode.batch_tokens, decode.beam)";
  return "use a smaller model (model.d_model, model.encoder_layers, model.decoder_layers), or free memory: smaller "
         "batches would not help here";
}

}  // namespace verbund
