// SPDX-License-Identifier: Apache-2.0
// LossScaler scales the loss for 16-bit gradients: the loss is multiplied by a scale before the backward pass, and the
// gradients are divided by it afterwards, so that small ones do not vanish. The dynamic scalers look for the largest
// scale without overflow:
//
// Backoff starts at the largest scale, divides it by two when a gradient overflows and doubles it after 2000 good
// steps. LogMax assumes that log2 max|gradient| is normally distributed, estimates mean and deviation and leaves room
// for 3.09 deviations: one overflow in a thousand steps.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "config/optim_config.h"

namespace verbund {

class LossScaler {
 public:
  // Named numbers, for checkpoints; each is kept exactly by a double.
  using State = std::map<std::string, double>;

  virtual ~LossScaler() = default;

  // The scale of the next loss.
  virtual double scale() const = 0;

  // Reports the step's result: max |gradient| after division by scale(), anything not finite
  // for an overflow (or a NaN). False: this step must be skipped and not counted.
  bool update(double largest);

  virtual State state() const = 0;
  // Whether that is a state of this type of scaler.
  bool fits(const State& state) const;
  // Continues from it; refuses any other.
  void restore(const State& state);

 protected:
  virtual void overflowed() = 0;
  virtual void succeeded(double largest) = 0;
  virtual void set_state(const State& state) = 0;  // has the names of state()
};

std::unique_ptr<LossScaler> make_loss_scaler(const LossScaleConfig& config);

}  // namespace verbund
