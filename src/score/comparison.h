// SPDX-License-Identifier: Apache-2.0
// Comparison of several systems on one test set: their scores, and paired tests against the first one, the baseline.
#pragma once

#include <optional>

#include "score/significance.h"

namespace verbund {

enum class PairedTest { kNone, kRandomization, kBootstrap };

struct TestOptions {
  PairedTest test = PairedTest::kNone;
  int64_t trials = kRandomizationTrials;  // samples, if the test is the bootstrap
  int64_t confidence_samples = 0;         // with randomisation: samples for intervals; 0: none
  uint64_t seed = kTestSeed;
  std::string seed_name = std::to_string(kTestSeed);  // as in signatures; "none" if it was drawn
};

struct NamedSystem {
  std::string name;
  Segments segments;
};

struct SystemScore {
  double score = 0;
  std::optional<double> p;                // against the baseline, which has none
  std::optional<ScoreInterval> interval;  // of the samples
};

struct Comparison {
  struct Column {
    std::string metric, signature;
    std::vector<SystemScore> scores;  // one per system
  };
  std::vector<std::string> systems;  // by name
  std::vector<Column> columns;
};

using Metrics = std::vector<std::unique_ptr<Metric>>;

Comparison compare_systems(const std::vector<NamedSystem>& systems, const References& references,
                           const Metrics& metrics, const TestOptions& options);

// "nrefs:1|case:..." -> "nrefs:1|bs:1000|seed:12345|case:..."
std::string with_samples(const std::string& signature, int64_t samples, const std::string& seed);

}  // namespace verbund
