// Has the doctor look at hosts from outside: this program again, as one worker per slot, hands over its facts.
#pragma once

#include <vector>

#include "cli/host_flags.h"
#include "doctor/collect.h"
#include "doctor/facts.h"

namespace verbund {

Facts examine_from_outside(HostFlags& flags, const std::vector<Host>& hosts, const Training& training);

}  // namespace verbund
