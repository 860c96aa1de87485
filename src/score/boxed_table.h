// A table with lines around every cell. Cells may have several lines; the first column stands to the right, the others
// are centred.
#pragma once

#include <string>
#include <vector>

namespace verbund {

using TableRow = std::vector<std::string>;

std::string boxed_table(const TableRow& header, const std::vector<TableRow>& rows);

}  // namespace verbund
