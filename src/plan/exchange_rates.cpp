#include "plan/exchange_rates.h"

#include <algorithm>

#include "collectives/host_layout.h"

namespace verbund {
namespace {

constexpr double kIdBytes = 4;           // the number of a row, sent with it
constexpr double kRoundTripsOfRows = 3;  // how many there are, how long the messages, and the rows

}  // namespace

ExchangeLayout ExchangeLayout::of(const std::vector<Host>& hosts, int workers) {
  const std::vector<Host> used = used_hosts(hosts, workers);
  ExchangeLayout layout;
  layout.workers = total_slots(used);
  layout.hosts = static_cast<int>(used.size());
  for (const Host& host : used) layout.most_on_a_host = std::max(layout.most_on_a_host, host.slots);
  if (layout.hosts == 1) return layout;
  std::vector<std::string> host_of_rank;
  for (const Host& host : used) host_of_rank.insert(host_of_rank.end(), static_cast<size_t>(host.slots), host.name);
  const double one_way = (layout.hosts - 1.0) / layout.hosts;
  layout.parts = HostLayout(host_of_rank).most_traffic() / one_way - 1;
  return layout;
}

PieceTime time_of(const PieceOnTheWay& piece, const ExchangeLayout& layout, const ExchangeRates& rates) {
  PieceTime time;
  if (layout.workers == 1) return time;
  const double hosts = layout.hosts, senders = layout.ring ? layout.workers : hosts;
  const double ways = (piece.way == Way::kBack ? 0
                       : layout.ring           ? 1
                                               : layout.parts) +
                      (piece.way == Way::kToSum ? 0 : 1);
  const auto dense = [&](double values) { return ways * (senders - 1) / senders * values * piece.value_bytes; };
  const double table = piece.table_rows * piece.row_values;
  if (piece.rows > 0) {
    // Of every worker, to every other host: they are not added up on the way.
    const double row_bytes = piece.row_values * piece.value_bytes + kIdBytes;
    time.sent_bytes = std::min((hosts - 1) * layout.most_on_a_host * piece.rows * row_bytes, dense(table));
    time.local_bytes = std::min(layout.workers * piece.rows * row_bytes, 4 * table);
  } else {
    time.sent_bytes = dense(piece.values);
    time.local_bytes = layout.most_on_a_host > 1 ? 4 * piece.values : 0;
  }
  if (layout.ring && hosts > 1) time.local_bytes = 0;  // the ring is as slow as its slowest link
  if (hosts == 1) time.sent_bytes = 0;
  const double round_trips = piece.rows > 0 ? kRoundTripsOfRows : piece.way == Way::kThereAndBack ? 1 : 0.5;
  time.latency = hosts > 1 ? rates.round_trip * round_trips : 0;
  time.seconds = time.latency + time.local_bytes / rates.memory + (hosts > 1 ? time.sent_bytes / rates.link : 0);
  return time;
}

}  // namespace verbund
