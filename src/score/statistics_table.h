// The sufficient statistics of a metric as plain numbers: a row per segment. The sum of rows is what the metric needs
// to know of these segments together, so significance tests need no text.
#pragma once

#include <span>
#include <vector>

#include "score/bleu.h"
#include "score/chrf.h"
#include "score/ter.h"

namespace verbund {

struct StatisticsTable {
  size_t columns = 0;
  std::vector<double> cells;

  size_t rows() const { return columns == 0 ? 0 : cells.size() / columns; }
  std::span<const double> row(size_t i) const { return {cells.data() + i * columns, columns}; }
  std::vector<double> sums() const;
};

StatisticsTable table_of(std::span<const BleuStatistics> segments);
StatisticsTable table_of(std::span<const ChrfStatistics> segments);
StatisticsTable table_of(std::span<const TerStatistics> segments);

}  // namespace verbund
