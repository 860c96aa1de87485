// SPDX-License-Identifier: Apache-2.0
// Network checks: clocks, addresses, links and all-reduce.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/human.h"
#include "doctor/judge.h"

namespace verbund {
namespace {

constexpr double kClockTolerance = 1;    // seconds
constexpr double kLongRoundTrip = 5e-3;  // seconds; in one room it is well below 1 ms
constexpr double kSlowLink = 50e6;       // bytes per second; gigabit has 118 MB/s
constexpr double kUneven = 0.5;          // of the usual rate
constexpr size_t kLinksShownSingly = 6;

std::string rate(double bytes_per_second) { return human_bytes(static_cast<uint64_t>(bytes_per_second)) + "/s"; }

std::string milliseconds(double seconds) { return fmt::format("{:.2f} ms", seconds * 1e3); }

// Both directions of a pair of hosts.
struct Pair {
  LinkFacts there, back;

  double slower() const { return std::min(there.bytes_per_second, back.bytes_per_second); }
  double round_trip() const { return std::max(there.round_trip_seconds, back.round_trip_seconds); }
};

std::vector<Pair> pairs_of(const std::vector<LinkFacts>& links) {
  std::vector<Pair> pairs;
  for (size_t i = 0; i < links.size(); ++i) {
    for (size_t j = i + 1; j < links.size(); ++j) {
      if (links[i].from == links[j].to && links[i].to == links[j].from) pairs.push_back({links[i], links[j]});
    }
  }
  return pairs;
}

Findings judge_clocks(const Facts& facts) {
  const std::string& leader = facts.workers.front().host;
  Findings findings;
  double largest = 0;
  for (const LinkFacts& link : facts.links) {
    if (link.from != leader) continue;
    const double offset = link.clock_offset_seconds;
    largest = std::max(largest, std::abs(offset));
    if (std::abs(offset) <= kClockTolerance) continue;
    findings.push_back(
        {Health::kWarning, "clock",
         fmt::format("{} is {:.1f} s {} {}", link.to, std::abs(offset), offset > 0 ? "ahead of" : "behind", leader),
         "set the clocks by NTP (timedatectl set-ntp true), or times in logs will not match"});
  }
  if (findings.empty() && !facts.links.empty()) {
    findings.push_back({Health::kOk, "clock", fmt::format("differ by at most {:.3f} s", largest)});
  }
  return findings;
}

Findings judge_addresses(const WorkersByHost& hosts) {
  Findings findings;
  for (const auto& [host, workers] : hosts) {
    std::string list;
    for (const NetworkAddress& item : workers.front()->addresses) {
      list += fmt::format("{} {} {}", list.empty() ? "" : ",", item.interface, item.address);
    }
    findings.push_back({Health::kOk, "network", fmt::format("{}:{}", host, list.empty() ? " no network" : list)});
  }
  return findings;
}

Finding judge_pair(const Pair& pair, double usual) {
  const auto& [there, back] = pair;
  const std::string text =
      fmt::format("{} - {}: {} there, {} back, round trip {}", there.from, there.to, rate(there.bytes_per_second),
                  rate(back.bytes_per_second), milliseconds(pair.round_trip()));
  if (pair.slower() < kSlowLink) {
    return {Health::kWarning, "link", text + ": slow",
            "check the network (--nic); workers.wire: fp16 or bf16 halves the bytes, int8 quarters them; a larger "
            "batch.tokens exchanges less often"};
  }
  if (pair.slower() < kUneven * usual) {
    return {Health::kWarning, "link", fmt::format("{}: most links carry {}", text, rate(usual)),
            "check cable, port and duplex of these two (ethtool IF): all hosts wait for the slowest link"};
  }
  if (pair.round_trip() > kLongRoundTrip) {
    return {Health::kWarning, "link", text + ": high latency",
            "check for a slow network or a tunnel in between; choose hosts that are close, or the network: --nic"};
  }
  return {Health::kOk, "link", text};
}

Findings judge_links(const Facts& facts) {
  const std::vector<Pair> pairs = pairs_of(facts.links);
  if (pairs.empty()) return {{Health::kOk, "link", "all workers are on one host: no network between them"}};
  std::vector<double> rates;
  for (const Pair& pair : pairs) rates.push_back(pair.slower());
  std::sort(rates.begin(), rates.end());
  const double usual = rates[rates.size() / 2];
  Findings findings;
  size_t fine = 0;
  double longest = 0;
  for (const Pair& pair : pairs) {
    Finding finding = judge_pair(pair, usual);
    longest = std::max(longest, pair.round_trip());
    if (finding.health == Health::kOk) ++fine;
    if (finding.health != Health::kOk || pairs.size() <= kLinksShownSingly) findings.push_back(std::move(finding));
  }
  if (pairs.size() > kLinksShownSingly) {
    findings.insert(findings.begin(),
                    {Health::kOk, "link",
                     fmt::format("{} of {} links are fine: {} to {}, round trips up to {}", fine, pairs.size(),
                                 rate(rates.front()), rate(rates.back()), milliseconds(longest))});
  }
  return findings;
}

Finding judge_all_reduce(const Facts& facts) {
  const AllReduceFacts& sum = facts.all_reduce;
  if (sum.workers < 2) return {Health::kOk, "all-reduce", "one worker: nothing to exchange"};
  const bool known = std::any_of(facts.workers.begin(), facts.workers.end(),
                                 [](const WorkerFacts& worker) { return worker.needs.known(); });
  return {Health::kOk, "all-reduce",
          fmt::format(
              "{} {} takes {:.3f} s over {} workers, {} bus bandwidth{}; each step takes that much longer, less what "
              "the backward pass hides",
              known ? "the model's gradient of" : "a gradient of", human_bytes(sum.bytes), sum.seconds_of_all(),
              sum.workers, rate(sum.bus_bytes_per_second()),
              sum.measured_bytes < sum.bytes ? fmt::format(" (measured with {} of it)", human_bytes(sum.measured_bytes))
                                             : "")};
}

}  // namespace

Findings judge_network(const Facts& facts) {
  if (facts.workers.empty()) return {};
  Findings findings;
  add_findings(findings, judge_clocks(facts));
  add_findings(findings, judge_addresses(by_host(facts.workers)));
  add_findings(findings, judge_links(facts));
  add_findings(findings, {judge_all_reduce(facts)});
  return findings;
}

}  // namespace verbund
