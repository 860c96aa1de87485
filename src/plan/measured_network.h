// The network and memory of hosts, from what the doctor has measured there.
#pragma once

#include "doctor/facts.h"
#include "plan/exchange_rates.h"

namespace verbund {

// The slowest link counts: all wait for it. Refuses facts of hosts that did not come together.
ExchangeRates rates_of_hosts(const Facts& facts);

}  // namespace verbund
