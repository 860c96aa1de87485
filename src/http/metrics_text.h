// SPDX-License-Identifier: Apache-2.0
// MetricsText writes figures for Prometheus, as OpenMetrics or in Prometheus' own older text format.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "http/server.h"

namespace verbund {

using MetricLabels = std::vector<std::pair<std::string, std::string>>;

class MetricsText {
 public:
  // A text in the format that the client accepts.
  explicit MetricsText(const HttpRequest& request);

  // The samples that follow belong to it. The name of a counter is given without _total.
  void counter(const std::string& name, const std::string& help);
  void gauge(const std::string& name, const std::string& help);
  void histogram(const std::string& name, const std::string& help);

  // One sample of the metric; values that are not finite are left out.
  void sample(double value, const MetricLabels& labels = {});
  // Counts of values up to each bound, and of all; not added up.
  void buckets(const std::vector<double>& bounds, const std::vector<uint64_t>& counts, double sum);

  HttpResponse response() const;

 private:
  void begin(const std::string& name, const char* type, const std::string& help);
  void line(const std::string& name, double value, const MetricLabels& labels);

  bool is_open_metrics_;
  std::string text_, name_, suffix_;
};

}  // namespace verbund
