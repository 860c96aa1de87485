// SPDX-License-Identifier: Apache-2.0
// ExchangeTuner finds the fastest settings of the gradient exchange: the bucket size (large buckets have less overhead,
// small ones leave less work for after the backward pass) and the number of chunks in flight (more keep a slow network
// busy, fewer stay in the cache). The first steps try some sizes, the next ones some numbers; the setting with the
// shortest exposed wait stays. The bits of sums on the hosts do not depend on it.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "collectives/chunks.h"
#include "collectives/workers.h"

namespace verbund {

inline constexpr size_t kTriedBuckets[] = {16 * kChunk, 64 * kChunk, 256 * kChunk};  // 2, 8 and 32 MiB

struct ExchangeSettings {
  size_t bucket = 0;  // values
  size_t in_flight = kUsualInFlight;

  bool operator==(const ExchangeSettings&) const = default;
};

class ExchangeTuner {
 public:
  enum class Tries { kBuckets, kBucketsAndFlights };

  // Buckets of `bucket` values; 0: finds all settings, for a buffer of `size` values.
  ExchangeTuner(size_t bucket, size_t size, Tries tries);

  const ExchangeSettings& now() const { return candidates_[current_]; }
  bool is_settled() const { return settled_; }
  // The settings found by trying, if any.
  const std::optional<ExchangeSettings>& found() const { return found_; }
  // Uses settings that were found earlier in the run.
  void settle(const ExchangeSettings& known);

  // Records how long the step waited. Collective.
  void record(Workers& workers, double seconds_exposed);
  std::string take_report() { return std::exchange(report_, ""); }

 private:
  void try_all(std::vector<ExchangeSettings> candidates);
  void choose_best();

  static constexpr int kRounds = 3;  // steps of each candidate, of which the best counts

  std::vector<ExchangeSettings> candidates_;
  std::vector<double> seconds_;  // of each, the best step so far
  size_t current_ = 0;
  int rounds_ = 0;
  bool flights_to_try_;
  bool settled_;
  std::optional<ExchangeSettings> found_;
  std::string report_;
};

}  // namespace verbund
