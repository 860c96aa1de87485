// A page as JSON: every figure, finding, table and series, for programs. What is not known is null; see docs/report.md.
#pragma once

#include <nlohmann/json.hpp>

#include "report/page.h"

namespace verbund {

nlohmann::ordered_json json_page(const Page& page);

}  // namespace verbund
