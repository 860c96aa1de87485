// SPDX-License-Identifier: Apache-2.0
#include "plan/exchange_rates.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "collectives/halving_exchange.h"
#include "collectives/host_layout.h"
#include "core/error.h"
#include "doctor/facts.h"
#include "statistics/quantile.h"

namespace verbund {
namespace {

constexpr double kIdBytes = 4;           // row id, sent with each row
constexpr double kRoundTripsOfRows = 3;  // counts, message sizes, rows
constexpr double kSumBytes = 56;         // of a worker's numbers

// Rounds of the leaders of hosts in one exchange of small data (collectives/leader_exchange.h).
int rounds_of_leaders(int hosts) {
  int rounds = 0;
  for (int known = 1; known < hosts; known *= 8) ++rounds;
  return rounds;
}

bool is_halved(const GradientMessage& message, const ExchangeLayout& layout) {
  return layout.halving && !layout.ring && message.collective == Collective::kAllReduce &&
         message.value_bytes == sizeof(float) &&
         message.values < static_cast<double>(HalvingExchange::values_below(layout.hosts));
}

}  // namespace

ExchangeLayout ExchangeLayout::of(const std::vector<Host>& hosts, int workers) {
  const std::vector<Host> used = used_hosts(hosts, workers);
  ExchangeLayout layout;
  layout.workers = total_slots(used);
  layout.hosts = static_cast<int>(used.size());
  for (const Host& host : used) layout.max_workers_per_host = std::max(layout.max_workers_per_host, host.slots);
  if (layout.hosts == 1) return layout;
  std::vector<std::string> host_of_rank;
  for (const Host& host : used) host_of_rank.insert(host_of_rank.end(), static_cast<size_t>(host.slots), host.name);
  const double one_way = (layout.hosts - 1.0) / layout.hosts;
  const HostLayout of_ranks(host_of_rank);
  layout.parts = of_ranks.max_traffic() / one_way - 1;
  layout.halving = HalvingExchange::suits(of_ranks);
  return layout;
}

MessageTime time_of(const GradientMessage& message, const ExchangeLayout& layout, const ExchangeRates& rates) {
  MessageTime time;
  if (layout.workers == 1) return time;
  const double hosts = layout.hosts, senders = layout.ring ? layout.workers : hosts;
  const double ways = (message.collective == Collective::kAllGather ? 0
                       : layout.ring                                ? 1
                                                                    : layout.parts) +
                      (message.collective == Collective::kReduceScatter ? 0 : 1);
  const auto dense = [&](double values) { return ways * (senders - 1) / senders * values * message.value_bytes; };
  const double table = message.table_rows * message.row_values;
  if (message.rows > 0) {
    // Rows of each worker go to each other host; they are not summed on the way.
    const double row_bytes = message.row_values * message.value_bytes + kIdBytes;
    time.sent_bytes = std::min((hosts - 1) * layout.max_workers_per_host * message.rows * row_bytes, dense(table));
    time.local_bytes = std::min(layout.workers * message.rows * row_bytes, 4 * table);
  } else {
    time.sent_bytes = dense(message.values);
    time.local_bytes = layout.max_workers_per_host > 1 ? 4 * message.values : 0;
  }
  if (layout.ring && hosts > 1) time.local_bytes = 0;  // the ring is as fast as its slowest link
  if (hosts == 1) time.sent_bytes = 0;
  double round_trips = message.collective == Collective::kAllReduce ? 1 : 0.5;
  if (message.rows > 0) {
    round_trips = kRoundTripsOfRows * rounds_of_leaders(layout.hosts);
  } else if (is_halved(message, layout)) {
    round_trips = std::log2(hosts);
  }
  time.latency = hosts > 1 ? rates.round_trip * round_trips : 0;
  time.seconds = time.latency + time.local_bytes / rates.memory + (hosts > 1 ? time.sent_bytes / rates.link : 0);
  return time;
}

// Half a round trip each round; every leader gets the numbers of all workers.
MessageTime time_of_sum(const ExchangeLayout& layout, const ExchangeRates& rates) {
  MessageTime time;
  if (layout.hosts == 1) return time;
  time.latency = rates.round_trip / 2 * rounds_of_leaders(layout.hosts);
  time.sent_bytes = kSumBytes * layout.workers * (layout.hosts - 1) / layout.hosts;
  time.seconds = time.latency + time.sent_bytes / rates.link;
  return time;
}

ExchangeRates rates_of_hosts(const Facts& facts) {
  for (const AskedHost& host : facts.asked) {
    if (!host.answers) {
      fail(
          "{} cannot be measured, because it does not answer: {}. Run `verbund doctor -H ...` for advice, or give "
          "--link.",
          host.name, host.said);
    }
  }
  if (facts.start != StartResult::kTogether) {
    fail("the hosts cannot be measured: {}. Run `verbund doctor -H ...` for advice, or give --link.",
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
