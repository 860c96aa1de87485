// SPDX-License-Identifier: Apache-2.0
// Config is the whole configuration: one struct per part, each field with its default, its range and its meaning.
// Each part of the program receives its own struct and nothing else.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "config/batch_config.h"
#include "config/checkpoint_config.h"
#include "config/corpus_config.h"
#include "config/decode_config.h"
#include "config/device_config.h"
#include "config/evaluate_config.h"
#include "config/mixture_config.h"
#include "config/model_config.h"
#include "config/optim_config.h"
#include "config/train_config.h"
#include "config/workers_config.h"
#include "core/builtin_file.h"

namespace verbund {

struct Config {
  int64_t seed = 1;
  int64_t threads = 0;
  DeviceChoice device = DeviceChoice::kAuto;
  CorpusConfig corpus;
  CleanConfig clean;
  SubwordConfig subwords;
  MixtureConfig mixture;
  ModelConfig model;
  BatchConfig batch;
  ScheduleConfig schedule;
  OptimizerConfig optimizer;
  EmaConfig average;
  LossScaleConfig loss_scale;
  TrainConfig train;
  WorkersConfig workers;
  EvaluateConfig evaluate;
  CheckpointConfig checkpoint;
  DecodeConfig decode;

  void fields(FieldVisitor& visit) {
    visit.field("seed", seed, {0, INT64_MAX}, "seed of all random numbers: the same seed gives the same result");
    visit.field("threads", threads, {0, 4096},
                "threads of a worker; 0: all cores, shared fairly by the workers of a host");
    visit.choice(
        "device", device, {"auto", "cpu", "cuda", "emulated"},
        "cuda: NVIDIA GPUs, one per worker; auto: cuda if there is a GPU, else cpu; emulated: the GPU of the tests");
    visit.section("corpus", corpus, "The parallel text.");
    visit.section("clean", clean, "Cleaning of training pairs.");
    visit.section("subwords", subwords, "The subword model.");
    visit.section("mixture", mixture, "The mixture of training corpora, and its stages.");
    visit.section("model", model, "The Transformer's shape and loss.");
    visit.section("batch", batch, "Batches of training pairs.");
    visit.section("schedule", schedule, "The learning-rate schedule.");
    visit.section("optimizer", optimizer, "The optimiser.");
    visit.section("average", average, "Exponential moving average of the weights.");
    visit.section("loss_scale", loss_scale, "Loss scaling, for gradients in 16 bits.");
    visit.section("train", train, "Length of training, logging, reaction to divergence.");
    visit.section("workers", workers, "Communication between workers.");
    visit.section("evaluate", evaluate, "Evaluation during training, and early stopping.");
    visit.section("checkpoint", checkpoint, "Checkpoints.");
    visit.section("decode", decode, "Search for translations.");
  }
};

// Loads defaults, then the file or preset (if any), then each "section.key=value" in order.
Config load_config(const std::string& file, const std::vector<std::string>& overrides);
void override_config(Config& config, const std::vector<std::string>& overrides);

// Presets are the configurations of configs/, compiled into the program: --config takes a file or the name of a preset.
std::span<const BuiltinFile> builtin_presets();

// A preset's purpose: its first comment line.
std::string preset_summary(const BuiltinFile& preset);

struct ConfigText {
  std::string text;
  std::string where;  // its path, or "preset transformer-base"
  std::string note;   // log line about the choice; "" if a file was given by its path
};

// A file of that name (also NAME.yaml) takes precedence over a preset. If there is neither, the error lists the
// presets.
ConfigText find_config(const std::string& name_or_path);

// Logs ConfigText::note. Does nothing for "".
void log_config_choice(const std::string& name_or_path);

}  // namespace verbund
