// SPDX-License-Identifier: Apache-2.0
// Made-up exchange traces over a network with a known rate.
#pragma once

#include <algorithm>
#include <functional>
#include <vector>

#include "record/exchange_trace.h"
#include "support/normal_numbers.h"

namespace verbund {

struct MadeNetwork {
  double latency = 0.002;
  double bytes_per_second = 100e6;
  double compute = 0.5;      // of a step, with some noise
  double slow_factor = 1.2;  // the last worker takes so many times as long
  double noise = 0.02;
  int workers = 4;
  std::vector<double> bucket_bytes = {8e6, 8e6, 8e6, 8e6, 8e6, 8e6, 3e6};
};

inline std::vector<ExchangeTrace> made_exchange(const MadeNetwork& network, int steps) {
  std::vector<ExchangeTrace> traces;
  NormalNumbers noise(9);
  double now = 5000;
  for (int step = 10; step <= 10 * steps; step += 10) {
    std::vector<ExchangeTrace> ranks;
    const size_t buckets = network.bucket_bytes.size();
    std::vector<double> ready(buckets), end(buckets);
    for (int rank = 0; rank < network.workers; ++rank) {
      ExchangeTrace trace;
      trace.step = step;
      trace.rank = rank;
      trace.began = now + 0.001 * rank;
      trace.compute = network.compute * (rank + 1 == network.workers ? network.slow_factor : 1) *
                      (1 + network.noise * noise.next());
      for (size_t i = 0; i < buckets; ++i) {
        // Backward is the second half of computing; its buckets become ready one after the other.
        BucketTimes times;
        times.ready = trace.compute * (0.5 + 0.5 * static_cast<double>(i + 1) / static_cast<double>(buckets));
        times.bytes = static_cast<uint64_t>(network.bucket_bytes[i]);
        ready[i] = std::max(ready[i], trace.began + times.ready);
        trace.buckets.push_back(times);
      }
      ranks.push_back(trace);
    }
    double before = 0, last = 0;
    for (size_t i = 0; i < buckets; ++i) {
      before = end[i] =
          std::max(before, ready[i]) + network.latency + network.bucket_bytes[i] / network.bytes_per_second;
    }
    for (ExchangeTrace& trace : ranks) {
      for (size_t i = 0; i < buckets; ++i) {
        trace.buckets[i].begin = std::max(trace.buckets[i].ready, i > 0 ? trace.buckets[i - 1].end : 0);
        trace.buckets[i].end = end[i] - trace.began;
      }
      trace.exposed = std::max(0.0, before - trace.began - trace.compute);
      trace.seconds = trace.compute + trace.exposed + 0.05;
      last = std::max(last, trace.began + trace.seconds);
    }
    now = last;
    traces.insert(traces.end(), ranks.begin(), ranks.end());
  }
  return traces;
}

}  // namespace verbund
