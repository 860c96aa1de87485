// How long gradients are on their way between the workers of a layout.
//
// On CPUs the workers of a host sum in shared memory, and each of h hosts sends 2 (h-1)/h of the gradient over its
// link, however many workers it has (more where these are no power of two, see comm/host_layout.h); rows of embeddings
// go from each host to each other one. Links carry both directions at once. GPUs that exchange by NCCL form a ring of
// all of them, which enters and leaves each host once: 2 (n-1)/n.
#pragma once

#include <string>
#include <vector>

#include "launch/host_list.h"

namespace verbund {

struct ExchangeRates {
  double link = 0;        // bytes of payload a second, from a host and at once to it; 0: not known
  double round_trip = 0;  // seconds; a bucket goes to its owners and back
  double memory = 2e9;    // bytes of gradient that the workers of a host sum in a second
  // What the exchange takes from a worker's computation: seconds of a core for each byte that it sends and receives,
  // and for each byte that it sums in memory.
  double core_seconds_per_byte = 0.8e-9, core_seconds_per_local_byte = 0.3e-9;
  std::string source = "no network";
  bool named = false;
};

// GPUs of one host reach each other over PCIe, if nothing better is known.
inline constexpr double kPcieRate = 10e9;

// Who exchanges.
struct ExchangeLayout {
  int workers = 1, hosts = 1;
  int most_on_a_host = 1;
  bool ring = false;  // of GPUs, by NCCL
  double parts = 1;   // that a host sends of each piece, to where it is summed

  // The first workers that these hosts take.
  static ExchangeLayout of(const std::vector<Host>& hosts, int workers);
};

// An all-reduce goes both ways; with a sharded optimiser gradients go to where they are summed, and weights come back.
enum class Way { kThereAndBack, kToSum, kBack };

// A piece of the gradient.
struct PieceOnTheWay {
  double values = 0;       // of the buffer, or
  double rows = 0;         // different tokens that a worker has looked up, each a row of
  double row_values = 0;   // so many values, in
  double table_rows = 0;   // an embedding of so many rows: it is sent as a whole where that is less
  double value_bytes = 4;  // on the wire
  Way way = Way::kThereAndBack;
};

struct PieceTime {
  double seconds = 0;
  double latency = 0;      // of these, whatever the size
  double sent_bytes = 0;   // by a host
  double local_bytes = 0;  // summed in memory
};

PieceTime time_of(const PieceOnTheWay& piece, const ExchangeLayout& layout, const ExchangeRates& rates);

}  // namespace verbund
