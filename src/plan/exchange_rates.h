// SPDX-License-Identifier: Apache-2.0
// Exchange rates of a cluster, and the time that a collective over gradients takes with them.
//
// On CPUs the workers of a host sum in shared memory, and each of h hosts sends 2 (h-1)/h of the gradient over its
// link, however many workers it has (more if that is not a power of two, see collectives/host_layout.h); embedding rows
// go from each host to each other one. Links carry both directions at once. GPUs that exchange by NCCL form one ring,
// which enters and leaves each host once: 2 (n-1)/n.
#pragma once

#include <string>
#include <vector>

#include "collectives/chunk_exchange.h"
#include "launch/host_list.h"

namespace verbund {

struct Facts;  // doctor/facts.h

struct ExchangeRates {
  double link = 0;        // payload bytes per second of a host's link, in each direction; 0: not known
  double round_trip = 0;  // seconds; each bucket takes one or more
  double memory = 2e9;    // bytes of gradient per second that the workers of a host sum
  // Cost of the exchange for a worker's computation: core seconds per byte that it sends and receives, and per byte
  // that it sums in memory.
  double core_seconds_per_byte = 0.8e-9, core_seconds_per_local_byte = 0.3e-9;
  std::string source = "no network";
  bool named = false;   // given by the user, not measured
  std::string unknown;  // why a record does not tell the link
};

// Assumed bytes per second between GPUs of one host: PCIe.
inline constexpr double kPcieRate = 10e9;

// Workers and hosts that take part.
struct ExchangeLayout {
  int workers = 1, hosts = 1;
  int max_workers_per_host = 1;
  bool ring = false;     // of GPUs, by NCCL
  double parts = 1;      // how often a host sends its share in a reduce-scatter
  bool halving = false;  // of small buffers (collectives/halving_exchange.h)

  // The first `workers` of these hosts.
  static ExchangeLayout of(const std::vector<Host>& hosts, int workers);
};

// A bucket of the gradient, or the rows of an embedding that a worker has looked up.
struct GradientMessage {
  double values = 0;       // of a bucket
  double rows = 0;         // distinct tokens that a worker has looked up; 0: a bucket
  double row_values = 0;   // width of the embedding
  double table_rows = 0;   // rows of the embedding, which is sent as a whole if that is less
  double value_bytes = 4;  // on the wire
  // With a sharded optimiser, gradients are reduce-scattered and weights all-gathered.
  Collective collective = Collective::kAllReduce;
};

struct MessageTime {
  double seconds = 0;
  double latency = 0;      // part that does not depend on the size
  double sent_bytes = 0;   // by a host
  double local_bytes = 0;  // summed in memory
};

MessageTime time_of(const GradientMessage& message, const ExchangeLayout& layout, const ExchangeRates& rates);

// The sum of a step's few numbers (loss, tokens, a stop signal), which all workers wait for.
MessageTime time_of_sum(const ExchangeLayout& layout, const ExchangeRates& rates);

// Rates measured by the doctor; the slowest link counts, because all workers wait for it. Fails if not all hosts
// started.
ExchangeRates rates_of_hosts(const Facts& facts);

}  // namespace verbund
