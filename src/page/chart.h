// SPDX-License-Identifier: Apache-2.0
// Chart is a chart as data: drawn as SVG, and printed as numbers by report --json.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace verbund {

enum class Drawn { kLine, kPoints, kSteps, kBand, kMarked };  // kMarked: a line with its points

struct Series {
  std::string name;
  std::vector<double> x, y;       // NaN: a gap
  std::vector<double> low, high;  // of a band, or of intervals around y; may be empty
  Drawn drawn = Drawn::kLine;
};

// A vertical line with a label: "resumed", "best", "warm-up ends".
struct Mark {
  double x = 0;
  std::string text;
};

// One bar of parts that add up, such as a ledger of time.
struct Bar {
  std::string name;
  std::vector<double> parts;  // as many as the chart's part_names
};

struct Chart {
  std::string id, title;
  std::string x_label, y_label;
  std::string hint;  // a sentence on what to look for
  bool log_x = false, log_y = false;
  std::vector<Series> series;
  std::vector<Mark> marks;
  std::vector<std::string> part_names;  // of bars; a chart has series or bars
  std::vector<Bar> bars;
};

}  // namespace verbund
