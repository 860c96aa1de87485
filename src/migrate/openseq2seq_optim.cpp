// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "migrate/converted_config.h"
#include "migrate/openseq2seq_params.h"

namespace verbund {
namespace {

const std::string kRate = "lr_policy_params.";

struct Renamed {
  std::string_view theirs;
  const char* ours;
};

constexpr Renamed kPolicies[] = {
    {"fixed_lr", "fixed"},
    {"piecewise_constant", "piecewise_constant"},
    {"exp_decay", "exp_decay"},
    {"poly_decay", "poly_decay"},
    {"cosine_decay", "cosine_decay"},
    {"transformer_policy", "transformer_policy"},
    {"inv_poly_decay", "inv_poly_decay"},
};

constexpr Renamed kOptimizers[] = {
    {"Adam", "adam"},    {"AdamOptimizer", "adam"},    {"LazyAdam", "lazy_adam"},
    {"SGD", "sgd"},      {"AdamWOptimizer", "adamw"},  {"LazyAdamOptimizer", "lazy_adam"},
    {"AdamW", "adamw"},  {"MomentumOptimizer", "sgd"}, {"GradientDescentOptimizer", "sgd"},
    {"Momentum", "sgd"},
};

const char* renamed(std::span<const Renamed> table, const std::string& name) {
  for (const Renamed& row : table) {
    if (row.theirs == name) return row.ours;
  }
  return nullptr;
}

void copy_number(OpenSeq2SeqParams& theirs, const std::string& path, const std::string& key, ConvertedConfig& ours) {
  if (const auto value = theirs.number(path)) ours.set(key, number_text(*value), path);
}

// The rate is factor * d_model^-0.5 * ..., and d_model is the policy's own there.
void convert_transformer_policy(OpenSeq2SeqParams& theirs, ConvertedConfig& ours) {
  const double factor = theirs.number(kRate + "learning_rate").value_or(1);
  const double width = theirs.number("encoder_params.hidden_size").value_or(512);
  const double policy_width = theirs.number(kRate + "d_model").value_or(width);
  const double warmup = theirs.number(kRate + "warmup_steps").value_or(1);
  const double max_rate = theirs.number(kRate + "max_lr").value_or(0);
  const double same_factor = factor * std::sqrt(width / policy_width);
  ours.set("schedule.learning_rate", number_text(same_factor),
           kRate + "learning_rate" +
               (width == policy_width
                    ? ""
                    : fmt::format(" {}, for a policy of d_model {} and a model of {}", factor, policy_width, width)));
  const double peak = factor / std::sqrt(policy_width) / std::sqrt(std::max(1.0, warmup));
  ours.set("schedule.warmup_steps", number_text(warmup),
           fmt::format("{}warmup_steps; the rate's peak is {:.2e}, at step {}", kRate,
                       max_rate > 0 ? std::min(max_rate, peak) : peak, warmup));
  if (max_rate > 0) ours.set("schedule.max_lr", number_text(max_rate), kRate + "max_lr");
}

// [10, 20] -> "10 20", each times `factor`.
void copy_list(OpenSeq2SeqParams& theirs, const std::string& path, const std::string& key, double factor,
               ConvertedConfig& ours) {
  const PythonValue* list = theirs.find(path);
  if (list == nullptr || list->kind != PythonValue::Kind::kList) return;
  std::string text;
  for (const PythonValue& item : list->items) {
    if (item.kind != PythonValue::Kind::kNumber) return;
    text += (text.empty() ? "" : " ") + number_text(item.number * factor);
  }
  theirs.take(path);
  ours.set(key, fmt::format("\"{}\"", text), path);
}

void convert_decay(OpenSeq2SeqParams& theirs, const std::string& policy, ConvertedConfig& ours) {
  for (const char* name : {"learning_rate", "begin_decay_at", "decay_steps", "decay_rate", "power"}) {
    copy_number(theirs, kRate + name, std::string("schedule.") + name, ours);
  }
  const bool cosine = policy == "cosine_decay";
  copy_number(theirs, kRate + "min_lr", cosine ? "schedule.min_fraction" : "schedule.min_lr", ours);
  if (cosine || policy == "poly_decay") {
    ours.set("schedule.warmup_steps", number_text(theirs.number(kRate + "warmup_steps").value_or(0)),
             kRate + "warmup_steps");
  }
  if (const PythonValue* stairs = theirs.take(kRate + "use_staircase_decay")) {
    ours.set("schedule.staircase", stairs->truth ? "true" : "false", kRate + "use_staircase_decay");
  }
  const double steps_per_epoch = theirs.number(kRate + "steps_per_epoch").value_or(1);
  copy_list(theirs, kRate + "boundaries", "schedule.boundaries", steps_per_epoch, ours);
  copy_list(theirs, kRate + "decay_rates", "schedule.decay_rates", 1, ours);
  const auto last = theirs.number("max_steps");
  const bool decays_to_the_end = policy != "fixed" && policy != "piecewise_constant" && policy != "exp_decay";
  if (decays_to_the_end && last && theirs.find(kRate + "decay_steps") == nullptr) {
    const double begin = theirs.number(kRate + "begin_decay_at").value_or(0);
    ours.set("schedule.decay_steps", number_text(*last - begin), "not in the file: until max_steps, as there");
  }
}

}  // namespace

void convert_schedule(OpenSeq2SeqParams& theirs, ConvertedConfig& ours) {
  const auto name = theirs.name("lr_policy");
  if (!name) return;
  const char* policy = renamed(kPolicies, *name);
  if (policy == nullptr) {
    return ours.remark("lr_policy: " + comment_text(*name), "no such policy; verbund config --explain has seven");
  }
  ours.set("schedule.policy", policy, "lr_policy");
  if (std::string_view(policy) == "transformer_policy") {
    convert_transformer_policy(theirs, ours);
  } else {
    convert_decay(theirs, policy, ours);
  }
}

void convert_optimizer(OpenSeq2SeqParams& theirs, ConvertedConfig& ours) {
  const auto name = theirs.name("optimizer");
  if (!name) return;
  const char* type = renamed(kOptimizers, *name);
  if (type == nullptr) {
    return ours.remark("optimizer: " + comment_text(*name), "there are adam, adamw, lazy_adam and sgd; adam is taken");
  }
  ours.set("optimizer.type", type, "optimizer: " + comment_text(*name));
  const std::string params = "optimizer_params.";
  if (std::string_view(type) != "sgd") {
    struct {
      const char* name;
      double usual;  // TensorFlow's, which their users have without saying so
    } constexpr kAdam[] = {{"beta1", 0.9}, {"beta2", 0.999}, {"epsilon", 1e-8}};
    for (const auto& [key, usual] : kAdam) {
      const auto given = theirs.number(params + key);
      ours.set(std::string("optimizer.") + key, number_text(given.value_or(usual)),
               given ? params + key : "not in the file: TensorFlow's default");
    }
  }
  copy_number(theirs, params + "momentum", "optimizer.momentum", ours);
  copy_number(theirs, params + "weight_decay", "optimizer.weight_decay", ours);
}

void convert_loss_scale(OpenSeq2SeqParams& theirs, ConvertedConfig& ours) {
  if (const auto scale = theirs.number("loss_scaling")) {
    ours.set("loss_scale.type", *scale == 1 ? "none" : "static", "loss_scaling");
    if (*scale != 1) ours.set("loss_scale.value", number_text(*scale), "loss_scaling");
  } else if (const auto name = theirs.name("loss_scaling")) {
    const bool known = *name == "Backoff" || *name == "LogMax";
    if (!known) return ours.remark("loss_scaling: " + comment_text(*name), "there are a number, Backoff and LogMax");
    ours.set("loss_scale.type", *name == "Backoff" ? "backoff" : "logmax", "loss_scaling");
  }
  for (const char* key :
       {"scale_min", "scale_max", "step_factor", "step_window", "log_max", "beta1", "beta2", "overflow_std_dev"}) {
    copy_number(theirs, std::string("loss_scaling_params.") + key, std::string("loss_scale.") + key, ours);
  }
}

}  // namespace verbund
