// SPDX-License-Identifier: Apache-2.0
#include "http/metrics_text.h"

#include <fmt/format.h>

#include <cmath>

namespace verbund {
namespace {

std::string escaped(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\n') {
      result += "\\n";
      continue;
    }
    if (c == '\\' || c == '"') result += '\\';
    result += c;
  }
  return result;
}

}  // namespace

MetricsText::MetricsText(const HttpRequest& request)
    : is_open_metrics_(request.header("accept").find("application/openmetrics-text") != std::string::npos) {}

void MetricsText::begin(const std::string& name, const char* type, const std::string& help) {
  name_ = name;
  suffix_ = type == std::string("counter") ? "_total" : "";
  // OpenMetrics names the family of a counter without _total.
  const std::string family = is_open_metrics_ ? name : name + suffix_;
  text_ += fmt::format("# HELP {0} {2}\n# TYPE {0} {1}\n", family, type, escaped(help));
}

void MetricsText::counter(const std::string& name, const std::string& help) { begin(name, "counter", help); }
void MetricsText::gauge(const std::string& name, const std::string& help) { begin(name, "gauge", help); }
void MetricsText::histogram(const std::string& name, const std::string& help) { begin(name, "histogram", help); }

void MetricsText::line(const std::string& name, double value, const MetricLabels& labels) {
  text_ += name;
  char separator = '{';
  for (const auto& [key, text] : labels) {
    text_ += fmt::format("{}{}=\"{}\"", separator, key, escaped(text));
    separator = ',';
  }
  text_ += fmt::format("{} {}\n", labels.empty() ? "" : "}", value);
}

void MetricsText::sample(double value, const MetricLabels& labels) {
  if (std::isfinite(value)) line(name_ + suffix_, value, labels);
}

void MetricsText::buckets(const std::vector<double>& bounds, const std::vector<uint64_t>& counts, double sum) {
  uint64_t so_far = 0;
  for (size_t i = 0; i < counts.size(); ++i) {
    so_far += counts[i];
    const std::string bound = i < bounds.size() ? fmt::format("{}", bounds[i]) : "+Inf";
    line(name_ + "_bucket", static_cast<double>(so_far), {{"le", bound}});
  }
  line(name_ + "_sum", sum, {});
  line(name_ + "_count", static_cast<double>(so_far), {});
}

HttpResponse MetricsText::response() const {
  return {.type = is_open_metrics_ ? "application/openmetrics-text; version=1.0.0; charset=utf-8"
                                   : "text/plain; version=0.0.4; charset=utf-8",
          .body = text_ + (is_open_metrics_ ? "# EOF\n" : "")};
}

}  // namespace verbund
