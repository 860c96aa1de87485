// SPDX-License-Identifier: Apache-2.0
#include "migrate/openseq2seq.h"

#include <gtest/gtest.h>

#include <cmath>

#include "config/config.h"
#include "core/error.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"

namespace verbund {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string convert(const std::string& text, const OpenSeq2SeqSurroundings& surroundings = {}) {
  return convert_openseq2seq(parse_python(text, "their.py"), surroundings);
}

// The YAML as the program would read it.
Config understood(const std::string& yaml) {
  const TemporaryFolder folder;
  return load_config(folder.write("ours.yaml", yaml).string(), {});
}

// The published settings of transformer-base, in the words of their users.
const std::string kBase = R"(
import tensorflow as tf
base_model = Text2Text
width = 512
layers = 6
data = "/data/wmt16/"
base_params = {
  "use_horovod": True, "num_gpus": 1,
  "batch_size_per_gpu": 128,
  "max_steps": 300000, "eval_steps": 4000, "save_checkpoint_steps": 5000, "num_checkpoints": 7,
  "print_loss_steps": 100, "print_samples_steps": None, "save_summaries_steps": 100,
  "logdir": "logs/base", "dtype": tf.float32, "iter_size": 2, "max_grad_norm": None, "random_seed": 17,
  "optimizer": tf.contrib.opt.LazyAdamOptimizer,
  "optimizer_params": {"beta1": 0.9, "beta2": 0.997, "epsilon": 1e-9},
  "lr_policy": transformer_policy,
  "lr_policy_params": {"learning_rate": 2.0, "warmup_steps": 8*1000, "d_model": width},
  "encoder": TransformerEncoder,
  "encoder_params": {
    "encoder_layers": layers, "hidden_size": width, "num_heads": 8, "filter_size": 4 * width,
    "attention_dropout": 0.1, "relu_dropout": 0.1, "layer_postprocess_dropout": 0.1, "pad_embeddings_2_eight": True,
  },
  "decoder": TransformerDecoder,
  "decoder_params": {
    "num_hidden_layers": layers, "hidden_size": width, "num_heads": 8, "filter_size": 4 * width,
    "attention_dropout": 0.1, "relu_dropout": 0.1, "layer_postprocess_dropout": 0.1,
    "beam_size": 4, "alpha": 0.6, "extra_decode_length": 50, "EOS_ID": Tokens.EOS_ID.value,
  },
  "loss": PaddedCrossEntropyLossWithSmoothing,
  "loss_params": {"label_smoothing": 0.1},
}
train_params = {
  "data_layer": ParallelTextDataLayer,
  "data_layer_params": {
    "pad_vocab_to_eight": True, "src_vocab_file": data + "m_common.vocab", "tgt_vocab_file": data + "m_common.vocab",
    "source_file": data + "train.en.tok", "target_file": data + "train.de.tok",
    "delimiter": " ", "shuffle": True, "shuffle_buffer_size": 25000, "repeat": True, "max_length": 56,
  },
}
eval_params = {
  "batch_size_per_gpu": 32,
  "data_layer": ParallelTextDataLayer,
  "data_layer_params": {"source_file": data + "dev.en.tok", "target_file": data + "dev.de.tok", "max_length": 56},
}
infer_params = {
  "data_layer_params": {"source_file": data + "test.en.tok", "target_file": data + "test.en.tok", "max_length": 256},
}
)";

TEST(OpenSeq2Seq, BaseKeepsItsValues) {
  const std::string yaml = convert(kBase);
  const Config config = understood(yaml);
  EXPECT_EQ(config.seed, 17);
  EXPECT_EQ(config.model.encoder_layers, 6);
  EXPECT_EQ(config.model.decoder_layers, 6);
  EXPECT_EQ(config.model.d_model, 512);
  EXPECT_EQ(config.model.heads, 8);
  EXPECT_EQ(config.model.d_ff, 2048);
  EXPECT_EQ(config.model.dropout, 0.1);
  EXPECT_EQ(config.model.label_smoothing, 0.1);
  EXPECT_EQ(config.batch.max_length, 56);
  EXPECT_EQ(config.batch.tokens, 128 * 2 * 30);
  EXPECT_TRUE(config.batch.shuffle);
  EXPECT_EQ(config.schedule.policy, SchedulePolicy::kTransformer);
  EXPECT_EQ(config.schedule.learning_rate, 2);
  EXPECT_EQ(config.schedule.warmup_steps, 8000);
  EXPECT_EQ(config.optimizer.type, OptimizerType::kLazyAdam);
  EXPECT_EQ(config.optimizer.beta2, 0.997);
  EXPECT_EQ(config.optimizer.epsilon, 1e-9);
  EXPECT_EQ(config.train.max_steps, 300000);
  EXPECT_EQ(config.train.eval_every, 4000);
  EXPECT_EQ(config.train.log_every, 100);
  EXPECT_EQ(config.train.sample_every, 0);
  EXPECT_EQ(config.train.precision, Precision::kFp32);
  EXPECT_EQ(config.checkpoint.save_every_steps, 5000);
  EXPECT_EQ(config.checkpoint.keep_last, 7);
  EXPECT_EQ(config.decode.beam, 4);
  EXPECT_EQ(config.decode.length_penalty, 0.6);
  EXPECT_EQ(config.decode.max_extra, 50);
  EXPECT_THAT(yaml, HasSubstr("the rate's peak is 9.88e-04, at step 8000"));
}

TEST(OpenSeq2Seq, WhatHasNoCounterpartIsNamedWithAReason) {
  const std::string yaml = convert(kBase + "tf.set_random_seed(1)\n");
  EXPECT_THAT(yaml, HasSubstr("#   data_layer_params.pad_vocab_to_eight: True\n#     the vocabulary keeps its size"));
  EXPECT_THAT(yaml, HasSubstr("#   save_summaries_steps: 100\n#     metrics.jsonl"));
  EXPECT_THAT(yaml, HasSubstr("#   decoder_params.EOS_ID: Tokens.EOS_ID.value\n"));
  EXPECT_THAT(yaml, HasSubstr("#   eval_params.batch_size_per_gpu: 32\n"));
  EXPECT_THAT(yaml, HasSubstr("#   infer_params.data_layer_params.max_length: 256\n"));
  EXPECT_THAT(yaml, HasSubstr(": tf.set_random_seed(1)\n#     a statement, which is never executed"));
  EXPECT_THAT(yaml, Not(HasSubstr("eval_params.data_layer_params.max_length")));  // the same as in training
}

TEST(OpenSeq2Seq, FilesBecomeACommandLine) {
  EXPECT_THAT(convert(kBase), HasSubstr("#   verbund prepare --encoded \\\n"
                                        "#     --subwords /data/wmt16/m_common.vocab \\\n"
                                        "#     --source /data/wmt16/train.en.tok \\\n"
                                        "#     --target /data/wmt16/train.de.tok \\\n"
                                        "#     --dev-source /data/wmt16/dev.en.tok \\\n"
                                        "#     --dev-target /data/wmt16/dev.de.tok \\\n"
                                        "#     --out data/mine\n"));
}

TEST(OpenSeq2Seq, SentencesBecomeTokensByTheAverageLength) {
  const std::string yaml = convert(kBase, {.workers = 4, .average_tokens = 27.5, .data = "data/wmt16"});
  EXPECT_EQ(understood(yaml).batch.tokens, 128 * 4 * 2 * 55 / 2);
  EXPECT_THAT(yaml,
              HasSubstr("batch_size_per_gpu 128 x 4 GPUs x iter_size 2 x 27.5 tokens, the average of data/wmt16"));
  EXPECT_EQ(understood(convert("base_params = {'batch_size_per_gpu': 10, 'num_gpus': 3}")).batch.tokens, 900);
}

TEST(OpenSeq2Seq, UnderHorovodTheNumberOfGpusIsAnAssumption) {
  const std::string four = "base_params = {'batch_size_per_gpu': 128, 'num_gpus': 4, 'use_horovod': True}";
  const std::string yaml = convert(four);
  EXPECT_EQ(understood(yaml).batch.tokens, 128 * 4 * 30);
  EXPECT_THAT(yaml, HasSubstr("128 x 4 GPUs (num_gpus, which Horovod ignores"));
  EXPECT_THAT(yaml, Not(HasSubstr("#   num_gpus")));
  const std::string given = convert(four, {.workers = 8});
  EXPECT_EQ(understood(given).batch.tokens, 128 * 8 * 30);
  EXPECT_THAT(given, HasSubstr("#   num_gpus: 4\n#     8 workers are given"));
  EXPECT_THAT(convert(kBase), HasSubstr("128 x 1 GPU (num_gpus, which Horovod ignores"));
}

TEST(OpenSeq2Seq, SavingOnceIsNamed) {
  EXPECT_THAT(convert("base_params = {'max_steps': 300000, 'save_checkpoint_steps': 299998}"),
              HasSubstr("#   save_checkpoint_steps: 299998\n#     a stopped run saves by itself"));
  EXPECT_THAT(convert(kBase), Not(HasSubstr("#   save_checkpoint_steps")));
}

TEST(OpenSeq2Seq, PoliciesOptimizersAndScaling) {
  Config config = understood(convert(R"(base_params = {
    'lr_policy': poly_decay, 'max_steps': 1000, 'optimizer': 'Momentum', 'optimizer_params': {'momentum': 0.9},
    'lr_policy_params': {'learning_rate': 0.05, 'power': 2.0, 'begin_decay_at': 100}, 'loss_scaling': 'Backoff',
    'loss_scaling_params': {'step_window': 500}, 'dtype': 'mixed', 'max_grad_norm': 1.5, 'num_epochs': 3})"));
  EXPECT_EQ(config.schedule.policy, SchedulePolicy::kPolyDecay);
  EXPECT_EQ(config.schedule.learning_rate, 0.05);
  EXPECT_EQ(config.schedule.decay_steps, 900);  // to the end, as there
  EXPECT_EQ(config.schedule.warmup_steps, 0);   // not our default
  EXPECT_EQ(config.optimizer.type, OptimizerType::kSgd);
  EXPECT_EQ(config.optimizer.momentum, 0.9);
  EXPECT_EQ(config.optimizer.clip_norm, 1.5);
  EXPECT_EQ(config.loss_scale.type, LossScaleType::kBackoff);
  EXPECT_EQ(config.loss_scale.step_window, 500);
  EXPECT_EQ(config.train.precision, Precision::kBf16);
  EXPECT_EQ(config.train.epochs, 3);

  config = understood(convert(R"(base_params = {
    'optimizer': 'Adam', 'lr_policy': piecewise_constant, 'loss_scaling': 512.0,
    'lr_policy_params': {'learning_rate': 0.1, 'boundaries': [1, 2], 'decay_rates': [0.1, 0.01],
                         'steps_per_epoch': 100}})"));
  EXPECT_EQ(config.schedule.boundaries, "100 200");
  EXPECT_EQ(config.schedule.decay_rates, "0.1 0.01");
  EXPECT_EQ(config.optimizer.beta2, 0.999);  // TensorFlow's default, not ours
  EXPECT_EQ(config.loss_scale.value, 512);
}

TEST(OpenSeq2Seq, TheRateIsTheSameIfThePolicyHasAnotherWidth) {
  const Config config = understood(convert(R"(base_params = {'lr_policy': transformer_policy,
    'lr_policy_params': {'learning_rate': 2.0, 'warmup_steps': 4000, 'd_model': 512, 'max_lr': 0.001},
    'encoder_params': {'hidden_size': 128}})"));
  EXPECT_NEAR(config.schedule.learning_rate / std::sqrt(128), 2.0 / std::sqrt(512), 1e-12);
  EXPECT_EQ(config.schedule.max_lr, 0.001);
}

TEST(OpenSeq2Seq, ValuesThatAreNotAcceptedHereAreNamed) {
  const std::string yaml = convert(R"(base_params = {'encoder_params': {'relu_dropout': 0.95, 'num_heads': 8},
    'decoder_params': {'num_heads': 4}, 'optimizer': NovoGrad, 'dtype': tf.float64, 'loss_scaling': 'a: &x [*x]'})");
  EXPECT_THAT(yaml, HasSubstr("#   encoder_params.relu_dropout\n#     model.relu_dropout is \"0.95\", but must be"));
  EXPECT_THAT(yaml, HasSubstr("#   decoder_params.num_heads: 4\n#     encoder and decoder have the same here: 8"));
  EXPECT_THAT(yaml, HasSubstr("#   optimizer: NovoGrad\n"));
  EXPECT_THAT(yaml, HasSubstr("#   dtype: float64\n"));
  EXPECT_EQ(understood(yaml).model.heads, 8);
}

// No text of theirs can leave its comment.
TEST(OpenSeq2Seq, HostileTextStaysInItsComment) {
  const std::string yaml = convert(
      "base_params = {'logdir': 'x\\nseed: 99\\n', 'batch_size_per_gpu': os.system('reboot'), 'a\\nseed: 98': 1,\n"
      "  'dtype': 'q\\nseed: 97', 'optimizer': 'o\\nseed: 96', 'lr_policy': 'p\\nseed: 95', '\x1b[2J': 2}\n"
      "train_params = {'data_layer_params': {'source_file': \"a'b\\nseed: 94\", 'target_file': 'c'}}\n"
      "exec('''\nseed: 93\n''')\n");
  EXPECT_EQ(understood(yaml).seed, Config{}.seed);
  EXPECT_THAT(yaml, HasSubstr("#   batch_size_per_gpu: os.system('reboot')\n#     would have to be executed"));
  EXPECT_THAT(yaml, HasSubstr("--source 'a'\\''b\\nseed: 94'"));
  EXPECT_THAT(yaml, Not(HasSubstr("\x1b")));
  EXPECT_THAT(yaml, Not(HasSubstr("\nseed")));
}

TEST(OpenSeq2Seq, OtherModelsAreRefused) {
  EXPECT_ERROR(convert("x = 1\n"), UsageError, HasSubstr("their.py assigns nothing to base_params"));
  EXPECT_ERROR(convert("base_params = {\n  'encoder': GNMTLikeEncoderWithEmbedding}\n"), UsageError,
               HasSubstr("their.py:2: the encoder is GNMTLikeEncoderWithEmbedding"), HasSubstr("Transformers only"));
}

}  // namespace
}  // namespace verbund
