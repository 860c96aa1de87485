// SPDX-License-Identifier: Apache-2.0
#include "import/imported_run.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "core/file.h"
#include "import/config_dump.h"
#include "support/expect_error.h"
#include "support/temporary_folder.h"
#include "unit/import/shown_points.h"

namespace verbund {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr const char* kLog =
    "[a:1] WARNING: something of MPI's\n"
    "*** Using horovod\n"
    "*** Training config:\n"
    "{'batch_size_per_gpu': 256,\n"
    " 'data_layer_params': {'delimiter': ' ', 'max_length': 56},\n"
    " 'decoder': <class 'open_seq2seq.decoders.transformer_decoder.TransformerDecoder'>,\n"
    " 'dtype': 'mixed',\n"
    " 'encoder': <class 'open_seq2seq.encoders.transformer_encoder.TransformerEncoder'>,\n"
    " 'encoder_params': {'encoder_layers': 6, 'hidden_size': 512, 'num_heads': 8},\n"
    " 'eval_steps': 150,\n"
    " 'lr_policy': <function transformer_policy at 0x7f1c92c71ae8>,\n"
    " 'lr_policy_params': {'d_model': 512, 'learning_rate': 2.0, 'warmup_steps': 8000},\n"
    " 'max_steps': 300000,\n"
    " 'num_gpus': 1,\n"
    " 'print_loss_steps': 100}\n"
    "*** Building graph in Horovod rank: 1\n"
    "*** Total trainable parameters: 60880896\n"
    "2020-06-26 15:36:42.835076: I tensorflow/core/a.cc:9] x\n"
    "name: Tesla V100-PCIE-16GB major: 7 minor: 0\n"
    "a:1:2 [0] NCCL INFO rank 0 nranks 2\n"
    "b:1:2 [0] NCCL INFO rank 1 nranks 2\n"
    "*** Running evaluation on a validation set:\n"
    "***     *****EVAL Source[0]:     <s> ▁A </s>\n"
    "***     *****EVAL Target[0]:     <s> ▁B </s>\n"
    "***     *****EVAL Prediction[0]: <s> ▁C </s>\n"
    "***     Validation loss: 9.4593 \n"
    "***     Eval BLUE score: 0.9565\n"
    "*** Global step 0: ***     Train loss: 9.4701 \n"
    "time per step = 0:00:0.881\n"
    "***     Train Source[0]:     <s> ▁D </s>\n"
    "***     Train Target[0]:     <s> ▁E </s>\n"
    "***     Train Prediction[0]: ▁F </s>\n"
    "*** Global step 100: ***     Train loss: nan \n"
    "time per step = 0:00:1.778\n"
    "*** Running evaluation on a validation set:\n"
    "***     Validation loss: nan \n"
    "***     Eval BLUE score: 0.0000\n"
    "*** Global step 200: ***     Tra";

class OpenSeq2SeqLogTest : public ::testing::Test {
 protected:
  ImportedRun read(const std::string& text) {
    write_file(folder_ / "log", text);
    return read_openseq2seq_log(folder_ / "log");
  }

  TemporaryFolder folder_;
};

TEST_F(OpenSeq2SeqLogTest, TellsTheRun) {
  const ImportedRun run = read(kLog);
  EXPECT_THAT(shown(run.points),
              ElementsAre("dev_loss 0 9.4593", "dev_teacher_forced_piece_bleu 0 95.65", "train_loss 0 9.4701",
                          "seconds_per_step 0 0.881", "train_loss 100 nan", "seconds_per_step 100 1.778",
                          "dev_loss 150 nan", "dev_teacher_forced_piece_bleu 150 0"));
  ASSERT_EQ(run.samples.size(), 2u);
  EXPECT_EQ(run.samples[0].split + run.samples[0].source + run.samples[0].reference + run.samples[0].prediction,
            "devABC");
  EXPECT_EQ(run.samples[1].split + run.samples[1].prediction, "trainF");
  EXPECT_EQ(run.hosts.dump(), R"([{"host":"a","workers":[0]},{"host":"b","workers":[1]}])");
  EXPECT_EQ(run.facts["workers"], 2);
  EXPECT_EQ(run.facts["parameters"], 60880896);
  EXPECT_EQ(run.facts["gpu"], "Tesla V100-PCIE-16GB");
  EXPECT_EQ(run.facts["clock_first"], "2020-06-26 15:36:42");
  EXPECT_EQ(run.end, "");
  EXPECT_THAT(run.notes, Contains(AllOf(HasSubstr("1 lines"), HasSubstr("line 38"))));
}

TEST_F(OpenSeq2SeqLogTest, ItsConfigurationIsMapped) {
  const ImportedRun run = read(kLog);
  EXPECT_THAT(run.original_config,
              AllOf(HasSubstr("'batch_size_per_gpu': 256"), HasSubstr("'print_loss_steps': 100}")));
  EXPECT_THAT(run.config_yaml,
              AllOf(HasSubstr("encoder_layers: 6"), HasSubstr("warmup_steps: 8000"), HasSubstr("eval_every: 150"),
                    HasSubstr("batch_size_per_gpu: 256"), Not(HasSubstr("tokens: "))));
}

TEST_F(OpenSeq2SeqLogTest, TheEndOfTraining) {
  const ImportedRun run =
      read(std::string(kLog) +
           "\n*** Finished training\n*** Avg time per step: 0.345s\n*** Avg objects per second: 12345.678\n");
  EXPECT_EQ(run.end, "finished");
  EXPECT_EQ(run.facts["average_seconds_per_step"], 0.345);
  EXPECT_EQ(run.facts["average_objects_per_second"], 12345.678);
}

TEST_F(OpenSeq2SeqLogTest, OtherTextIsRefusedWithWhatWasLookedFor) {
  EXPECT_ERROR(read("Epoch 1: loss 3.4\nEpoch 2: loss 3.1\n"), Error, HasSubstr("*** Global step N"),
               HasSubstr("2 lines"), HasSubstr("\"Epoch 1: loss 3.4\""));
  EXPECT_ERROR(read(std::string(kLog).substr(0, std::string(kLog).find("*** Running"))), Error,
               HasSubstr("*** Global step N"));
  EXPECT_ERROR(read(""), Error, HasSubstr("0 lines"));
}

TEST_F(OpenSeq2SeqLogTest, ATrainingThatDiedSaysOfWhat) {
  const std::string died =
      "Traceback (most recent call last):\n  File \"run.py\", line 9, in <module>\n"
      "tensorflow.python.framework.errors_impl.ResourceExhaustedError: OOM when allocating tensor on GPU:0\n"
      "ValueError: what follows from it\n";
  const std::string log(kLog), before_steps = log.substr(0, log.find("*** Running"));
  EXPECT_ERROR(read(before_steps + died), Error, HasSubstr("line 24: \"ResourceExhaustedError: OOM when allocating"),
               HasSubstr("out of GPU memory"));
  const ImportedRun run = read(log + "\n" + died);
  EXPECT_THAT(run.notes, Contains(HasSubstr("line 41: \"ResourceExhaustedError")));
  EXPECT_EQ(run.end, "");
  EXPECT_THAT(read(log + "\n" + died + "*** Finished training\n").notes, Not(Contains(HasSubstr("Resource"))));
}

TEST(ConfigDump, TakesOneDictionary) {
  ConfigDump dump;
  EXPECT_FALSE(dump.add("*** something else"));
  EXPECT_TRUE(dump.add("{'a': '}{', 'max_steps': 7,"));
  EXPECT_FALSE(dump.is_whole());
  EXPECT_TRUE(dump.add(" 'b': {'eval_steps': 3},"));
  EXPECT_TRUE(dump.add(" 'eval_steps': 5}"));
  EXPECT_TRUE(dump.is_whole());
  EXPECT_FALSE(dump.add(" more"));
  EXPECT_EQ(dump.integer("eval_steps"), 5);
  EXPECT_EQ(dump.integer("none"), std::nullopt);
}

TEST(ConfigDump, WhatCannotBeMappedSaysWhy) {
  ConfigDump dump;
  dump.add("{'encoder': <class 'a.RNNEncoder'>}");
  std::string why;
  EXPECT_EQ(map_config_dump(dump, {}, 1, why), "");
  EXPECT_THAT(why, HasSubstr("RNNEncoder"));
}

}  // namespace
}  // namespace verbund
