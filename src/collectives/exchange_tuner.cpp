// SPDX-License-Identifier: Apache-2.0
#include "collectives/exchange_tuner.h"

#include <algorithm>
#include <limits>

#include "core/human.h"
#include "core/log.h"

namespace verbund {
namespace {

constexpr size_t kFlights[] = {kUsualInFlight, kUsualInFlight / 2, kMaxInFlight};

size_t whole_chunks(size_t values) { return std::max<size_t>(1, (values + kChunk / 2) / kChunk) * kChunk; }

std::string size_of(const ExchangeSettings& settings) { return human_bytes(settings.bucket * sizeof(float)); }

}  // namespace

ExchangeTuner::ExchangeTuner(size_t bucket, size_t size, Tries tries)
    : flights_to_try_(tries == Tries::kBucketsAndFlights), settled_(bucket != 0) {
  std::vector<ExchangeSettings> candidates;
  if (settled_) {
    candidates = {{whole_chunks(bucket)}};
  } else {
    for (const size_t candidate : kTriedBuckets) {
      if (candidates.empty() || candidate < size) candidates.push_back({candidate});
    }
    settled_ = candidates.size() == 1;  // a buffer this small has one candidate
  }
  try_all(std::move(candidates));
}

void ExchangeTuner::settle(const ExchangeSettings& known) {
  if (settled_ || known.bucket == 0) return;
  found_ = {whole_chunks(known.bucket), std::clamp<size_t>(known.in_flight, 1, kMaxInFlight)};
  try_all({*found_});
  settled_ = true;
  report_ = fmt::format("gradient exchange: buckets of {}, {} chunks in flight, as found before", size_of(*found_),
                        found_->in_flight);
}

void ExchangeTuner::record(Workers& workers, double seconds_exposed) {
  if (settled_) return;
  seconds_[current_] = std::min(seconds_[current_], workers.comm().max(seconds_exposed));
  // Candidates take turns, so a slow moment of the machine does not hit one of them alone.
  current_ = (current_ + 1) % candidates_.size();
  if (current_ == 0 && ++rounds_ == kRounds) choose_best();
}

void ExchangeTuner::try_all(std::vector<ExchangeSettings> candidates) {
  candidates_ = std::move(candidates);
  seconds_.assign(candidates_.size(), std::numeric_limits<double>::infinity());
  current_ = 0;
  rounds_ = 0;
}

void ExchangeTuner::choose_best() {
  const bool tried_flights = candidates_.front().bucket == candidates_.back().bucket;
  report_ += tried_flights ? ";" : "gradient exchange: buckets of";
  for (size_t i = 0; i < candidates_.size(); ++i) {
    report_ += tried_flights ? fmt::format(" with {} chunks in flight {:.3f} s,", candidates_[i].in_flight, seconds_[i])
                             : fmt::format(" {} made the step wait {:.3f} s,", size_of(candidates_[i]), seconds_[i]);
  }
  const auto best = std::min_element(seconds_.begin(), seconds_.end()) - seconds_.begin();
  const ExchangeSettings chosen = candidates_[static_cast<size_t>(best)];
  report_ += tried_flights ? fmt::format(" using {}", chosen.in_flight) : " using " + size_of(chosen);
  if (flights_to_try_ && !tried_flights) {
    std::vector<ExchangeSettings> next;
    for (const size_t in_flight : kFlights) next.push_back({chosen.bucket, in_flight});
    return try_all(std::move(next));
  }
  found_ = chosen;
  debug("gradient buckets: {} values, {} chunks in flight, the fastest of those tried", chosen.bucket,
        chosen.in_flight);
  try_all({chosen});
  settled_ = true;
}

}  // namespace verbund
