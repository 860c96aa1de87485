// SPDX-License-Identifier: Apache-2.0
// make_run_report makes the page of one run, with the section on scaling that `plan` predicts from its record. `train`
// and `report` use it.
#pragma once

#include "page/page.h"
#include "report/run_data.h"

namespace verbund {

Page make_run_report(const RunData& run);

}  // namespace verbund
