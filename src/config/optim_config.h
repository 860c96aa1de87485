// SPDX-License-Identifier: Apache-2.0
// ScheduleConfig, OptimizerConfig, EmaConfig and LossScaleConfig: everything between the gradient and the new
// weights.
#pragma once

#include <cstdint>
#include <string>

#include "config/fields.h"

namespace verbund {

enum class SchedulePolicy {
  kFixed,
  kPiecewiseConstant,
  kExpDecay,
  kPolyDecay,
  kCosineDecay,
  kTransformer,
  kInvPolyDecay
};

struct ScheduleConfig {
  SchedulePolicy policy = SchedulePolicy::kTransformer;
  double learning_rate = 2.0;
  int64_t warmup_steps = 8000;
  double max_lr = 0;
  double min_lr = 0;
  double min_fraction = 0;
  int64_t begin_decay_at = 0;
  int64_t decay_steps = 0;
  double decay_rate = 0.5;
  bool staircase = false;
  double power = 1;
  std::string boundaries;
  std::string decay_rates;

  void fields(FieldVisitor& visit) {
    visit.choice("policy", policy,
                 {"fixed", "piecewise_constant", "exp_decay", "poly_decay", "cosine_decay", "transformer_policy",
                  "inv_poly_decay"},
                 "how the learning rate depends on the step");
    visit.field("learning_rate", learning_rate, {0, 1e9},
                "rate that the policy starts from; transformer_policy: a factor, not the rate itself");
    visit.field("warmup_steps", warmup_steps, {0, INT64_MAX},
                "transformer_policy, poly_decay, cosine_decay: steps of linear warmup");
    visit.field("max_lr", max_lr, {0, 1e9}, "transformer_policy: upper limit of the rate; 0: none");
    visit.field("min_lr", min_lr, {0, 1e9},
                "exp_decay, poly_decay: lower limit of the rate; inv_poly_decay: the rate after decay_steps");
    visit.field("min_fraction", min_fraction, {0, 1}, "cosine_decay: lowest rate, as a fraction of learning_rate");
    visit.field("begin_decay_at", begin_decay_at, {0, INT64_MAX},
                "exp_decay, poly_decay, cosine_decay: the rate is constant until this step");
    visit.field("decay_steps", decay_steps, {0, INT64_MAX},
                "exp_decay: steps for one factor decay_rate; poly_, cosine_, inv_poly_decay: steps to the "
                "lowest rate");
    visit.field("decay_rate", decay_rate, {0, 1}, "exp_decay: factor per decay_steps");
    visit.field("staircase", staircase, "exp_decay: fall in steps of decay_steps instead of continuously");
    visit.field("power", power, {0, 100}, "poly_decay, inv_poly_decay: exponent of the curve");
    visit.field("boundaries", boundaries, "piecewise_constant: the steps after which the rate changes: 1000 2000");
    visit.field("decay_rates", decay_rates,
                "piecewise_constant: after each boundary, learning_rate times this: 0.1 0.01");
  }
};

enum class OptimizerType { kAdam, kAdamW, kLazyAdam, kSgd };

struct OptimizerConfig {
  OptimizerType type = OptimizerType::kAdam;
  double beta1 = 0.9;
  double beta2 = 0.997;
  double epsilon = 1e-9;
  double weight_decay = 0;
  double momentum = 0;
  double clip_norm = 0;

  void fields(FieldVisitor& visit) {
    visit.choice("type", type, {"adam", "adamw", "lazy_adam", "sgd"},
                 "lazy_adam: the same as adam, because all gradients are dense here");
    visit.field("beta1", beta1, {0, 0.9999999}, "adam: decay of the mean gradient");
    visit.field("beta2", beta2, {0, 0.9999999}, "adam: decay of the mean squared gradient");
    visit.field("epsilon", epsilon, {1e-15, 1}, "adam: added to the root of the mean squared gradient");
    visit.field("weight_decay", weight_decay, {0, 1},
                "adamw: share of each weight subtracted per unit of rate; others: times the weight, added to its "
                "gradient");
    visit.field("momentum", momentum, {0, 0.9999999}, "sgd: share of the last update that is kept in the next one");
    visit.field("clip_norm", clip_norm, {0, 1e9},
                "greatest norm of the whole gradient, which is scaled down to it; 0: none");
  }
};

struct EmaConfig {
  double decay = 0;
  int64_t start_step = 0;
  bool warmup = true;

  void fields(FieldVisitor& visit) {
    visit.field("decay", decay, {0, 0.9999999},
                "keep an exponential moving average of the weights with this decay, e.g. 0.9999; 0: none");
    visit.field("start_step", start_step, {0, INT64_MAX}, "step whose weights the average starts from");
    visit.field("warmup", warmup, "the n-th decay is at most (1 + n) / (10 + n), so that early weights are forgotten");
  }
};

enum class LossScaleType { kNone, kStatic, kBackoff, kLogMax };

struct LossScaleConfig {
  LossScaleType type = LossScaleType::kNone;
  double value = 1024;
  double scale_min = 1;
  double scale_max = 16384;
  double step_factor = 2;
  int64_t step_window = 2000;
  double log_max = 16;
  double beta1 = 0.99;
  double beta2 = 0.999;
  double overflow_std_dev = 3.09;

  void fields(FieldVisitor& visit) {
    visit.choice("type", type, {"none", "static", "backoff", "logmax"},
                 "factor of the loss, so that small gradients survive in 16 bits");
    visit.field("value", value, {1e-6, 1e12}, "static: the scale");
    visit.field("scale_min", scale_min, {1e-6, 1e12}, "backoff, logmax: lower limit of the scale");
    visit.field("scale_max", scale_max, {1e-6, 1e12}, "backoff, logmax: upper limit of the scale; backoff starts here");
    visit.field("step_factor", step_factor, {1.0001, 1e6},
                "backoff: the scale is divided by it at an overflow, multiplied after step_window good steps");
    visit.field("step_window", step_window, {1, INT64_MAX}, "backoff: good steps in a row before the scale rises");
    visit.field("log_max", log_max, {1, 128}, "logmax: the largest scaled gradient that is safe, as a power of two");
    visit.field("beta1", beta1, {0, 0.9999999}, "logmax: decay of the mean of log2 max|gradient|");
    visit.field("beta2", beta2, {0, 0.9999999}, "logmax: decay of its variance");
    visit.field("overflow_std_dev", overflow_std_dev, {0, 100},
                "logmax: how many standard deviations of log2 max|gradient| must fit below log_max");
  }
};

}  // namespace verbund
