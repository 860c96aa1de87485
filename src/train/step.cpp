#include "train/step.h"

#include "optim/clip.h"

namespace verbund {

StepResult train_step(StepParts& parts, const WorkerBatch& batch, int64_t step) {
  const double loss_scale = parts.scaler.scale();
  const Pass pass = {static_cast<uint64_t>(parts.config.seed), static_cast<uint64_t>(step), true,
                     static_cast<float>(loss_scale)};
  StepResult result;
  std::fill(parts.model.gradients().begin(), parts.model.gradients().end(), 0.0f);
  for (const Batch& part : batch.micro_batches()) result.loss += parts.model.accumulate(part, pass);

  // The gradient is a sum over tokens; dividing by all of them is part of the update.
  const double scale = 1.0 / (static_cast<double>(batch.global_target_tokens()) * loss_scale);
  const GradientSize size = measure(parts.model.gradients(), parts.optimizer.active());
  result.gradient_norm = size.norm * scale;
  result.rate = parts.schedule.rate(step) * parts.rate_factor;
  result.updated = parts.scaler.update(size.largest / loss_scale);
  result.trouble = !result.updated && parts.scaler.scale() == loss_scale;
  if (!result.updated) return result;

  const double clip = clip_factor(result.gradient_norm, parts.config.optimizer.clip_norm);
  parts.optimizer.step(parts.model.values(), parts.model.gradients(), result.rate, scale * clip);
  parts.average.update(parts.model.values(), step);
  return result;
}

}  // namespace verbund
