// SPDX-License-Identifier: Apache-2.0
// The report of one run as `train` leaves it and `report` makes it: its page, with what a plan of it tells.
#pragma once

#include "page/page.h"
#include "report/run_data.h"

namespace verbund {

Page make_run_report(const RunData& run);

}  // namespace verbund
