// SPDX-License-Identifier: Apache-2.0
// The tests here are whole training runs of a small model, with threads as workers.
#pragma once

#include <gtest/gtest.h>

#include "core/json.h"
#include "core/log.h"
#include "data/prepare.h"
#include "demo/corpus_generators.h"
#include "support/temporary_folder.h"
#include "support/thread_workers.h"
#include "train/trainer.h"

namespace verbund {

class Training : public ::testing::Test {
 protected:
  static constexpr int kSteps = 30;

  void SetUp() override {
    set_log_level(LogLevel::kWarning);
    config_.corpus.name = "demo";
    config_.corpus.generated_pairs = 1000;
    config_.subwords.vocabulary = 400;
    config_.subwords.character_coverage = 1;
    config_.model = {};
    config_.model.encoder_layers = config_.model.decoder_layers = 2;
    config_.model.d_model = 32;
    config_.model.heads = 4;
    config_.model.d_ff = 64;
    config_.model.dropout = config_.model.attention_dropout = config_.model.relu_dropout = 0.1;
    config_.batch.tokens = 500;
    config_.schedule.learning_rate = 0.2;
    config_.schedule.warmup_steps = 20;
    config_.train.max_steps = kSteps;
    config_.train.log_every = 1;
    config_.evaluate.sentences = 20;
    config_.evaluate.at_start = false;
    config_.workers.check_every = 10;
    config_.threads = 1;
  }

  // A dataset is prepared once for all tests of the process that want the same.
  void prepare_data() {
    static std::map<std::pair<int64_t, int64_t>, TemporaryFolder> prepared;
    const auto [folder, is_new] = prepared.try_emplace({config_.corpus.generated_pairs, config_.subwords.vocabulary});
    if (is_new) {
      PrepareRequest request{config_, folder->second / "data", false, "test"};
      request.generator = find_generator(config_.corpus.name)->generator;
      prepare(request);
    }
    fs::copy(folder->second / "data", folder_ / "data", fs::copy_options::recursive);
  }

  // Each worker on a host of its own.
  fs::path run(const std::string& name, int workers, Resume resume = Resume::kAuto) {
    return run_on(std::vector<int>(static_cast<size_t>(workers), 1), name, resume);
  }
  // So many workers on each host.
  fs::path run_on(const std::vector<int>& hosts, const std::string& name, Resume resume = Resume::kAuto) {
    run_on_hosts(hosts, [&](Workers& all) {
      TrainRequest request;
      request.config = config_;
      request.datasets = {folder_ / "data"};
      request.run = folder_ / name;
      request.resume = resume;
      EXPECT_EQ(train(request, all), 0);
    });
    return folder_ / name;
  }

  // By step.
  static std::vector<double> losses(const fs::path& run) {
    std::vector<double> losses;
    std::istringstream lines(slurp(run / "metrics.jsonl"));
    for (std::string line; std::getline(lines, line);) {
      const auto object = parse_json(line);
      if (object.contains("train_loss")) losses.push_back(object["train_loss"]);
    }
    return losses;
  }
  static std::string weights(const fs::path& run) {
    return slurp(run / "checkpoints" / "last" / "weights.safetensors");
  }

  static void expect_same_curve(const fs::path& one, const fs::path& other, double relative) {
    const std::vector<double> a = losses(one), b = losses(other);
    ASSERT_EQ(a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(b[i], a[i], relative * a[i]) << "step " << i + 1;
  }

  TemporaryFolder folder_;
  Config config_;
};

}  // namespace verbund
