#include "plan/measured_network.h"

#include <algorithm>
#include <limits>

#include "core/error.h"
#include "statistics/quantile.h"

namespace verbund {

ExchangeRates rates_of_hosts(const Facts& facts) {
  for (const AskedHost& host : facts.asked) {
    if (!host.answers) {
      fail("{} cannot be measured, for it does not answer: {}. Ask `verbund doctor -H ...` what to do, or give --link.",
           host.name, host.said);
    }
  }
  if (facts.start != StartResult::kTogether) {
    fail("the hosts cannot be measured: {}. Ask `verbund doctor -H ...` what to do, or give --link.",
         facts.start_message);
  }
  ExchangeRates rates;
  const AllReduceFacts& sum = facts.all_reduce;
  if (facts.links.empty()) {
    if (sum.seconds > 0) rates.memory = static_cast<double>(sum.measured_bytes) / sum.seconds;
    rates.source = "measured: within one host";
    return rates;
  }
  std::vector<double> round_trips;
  rates.link = std::numeric_limits<double>::infinity();
  for (const LinkFacts& link : facts.links) {
    rates.link = std::min(rates.link, link.bytes_per_second);
    round_trips.push_back(link.round_trip_seconds);
  }
  rates.round_trip = median(round_trips);
  rates.source = fmt::format("measured: {:.1f} MB/s on the slowest link, {:.2f} ms a round trip", rates.link / 1e6,
                             1e3 * rates.round_trip);
  return rates;
}

}  // namespace verbund
