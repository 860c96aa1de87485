// Several systems on one test set: their scores, and whether each really differs from the first, the baseline.
#pragma once

#include <optional>

#include "score/significance.h"

namespace verbund {

enum class PairedTest { kNone, kRandomization, kBootstrap };

struct TestOptions {
  PairedTest test = PairedTest::kNone;
  int64_t trials = kRandomizationTrials;  // samples, if the test is the bootstrap
  int64_t confidence_samples = 0;         // with randomisation: also intervals, from so many samples
  uint64_t seed = kTestSeed;
  std::string seed_name = std::to_string(kTestSeed);  // as signatures have it; "none" if it was drawn
};

struct NamedSystem {
  std::string name;
  Segments segments;
};

struct SystemScore {
  double score = 0;
  std::optional<double> p;           // against the baseline, which has none
  std::optional<ScoreInterval> interval;  // of samples
};

struct Comparison {
  struct Column {
    std::string metric, signature;
    std::vector<SystemScore> scores;  // as many as systems
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
