// SPDX-License-Identifier: Apache-2.0
#include "record/exchange_trace.h"

#include <cmath>

#include "core/json.h"
#include "record/json_lines.h"

namespace verbund {
namespace {

constexpr int64_t kOftenUntil = 1000, kOften = 10, kLater = 100;

double micro(double seconds) { return std::round(seconds * 1e6) / 1e6; }

}  // namespace

bool is_traced(int64_t step, const StepTimes& times) {
  return !times.tuning && !times.buckets.empty() && step % (step <= kOftenUntil ? kOften : kLater) == 0;
}

std::string to_json_line(const ExchangeTrace& trace) {
  Json json = {{"step", trace.step},
               {"start", trace.start},
               {"rank", trace.rank},
               {"began", micro(trace.began)},
               {"compute", micro(trace.compute)},
               {"exposed", micro(trace.exposed)},
               {"seconds", micro(trace.seconds)},
               {"buckets", Json::array()}};
  for (const BucketTimes& bucket : trace.buckets) {
    json["buckets"].push_back({micro(bucket.ready), micro(bucket.begin), micro(bucket.end), bucket.bytes});
  }
  return dump_json(json);
}

ExchangeTraces read_exchange(const std::filesystem::path& path) {
  ExchangeTraces found;
  found.damaged = read_json_lines(path, [&](const Json& line) {
    ExchangeTrace trace = {line.at("step"),    line.at("start"),   line.at("rank"),    line.at("began"),
                           line.at("compute"), line.at("exposed"), line.at("seconds"), {}};
    for (const Json& bucket : line.at("buckets")) {
      trace.buckets.push_back({bucket.at(0), bucket.at(1), bucket.at(2), bucket.at(3)});
    }
    found.traces.push_back(std::move(trace));
  });
  return found;
}

}  // namespace verbund
