#include "score/statistics_table.h"

namespace verbund {
namespace {

template <typename Statistics>
StatisticsTable table(std::span<const Statistics> segments) {
  StatisticsTable table;
  for (const Statistics& segment : segments) {
    const auto columns = columns_of(segment);
    table.columns = columns.size();
    table.cells.insert(table.cells.end(), columns.begin(), columns.end());
  }
  return table;
}

}  // namespace

std::vector<double> StatisticsTable::sums() const {
  std::vector<double> sums(columns);
  for (size_t i = 0; i < cells.size(); ++i) sums[i % columns] += cells[i];
  return sums;
}

StatisticsTable table_of(std::span<const BleuStatistics> segments) { return table(segments); }
StatisticsTable table_of(std::span<const ChrfStatistics> segments) { return table(segments); }
StatisticsTable table_of(std::span<const TerStatistics> segments) { return table(segments); }

}  // namespace verbund
