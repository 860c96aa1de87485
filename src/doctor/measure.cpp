// SPDX-License-Identifier: Apache-2.0
#include "doctor/measure.h"

#include <algorithm>
#include <chrono>

#include "collectives/chunks.h"
#include "core/elapsed.h"
#include "core/json.h"
#include "core/wall_clock.h"

namespace verbund {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMaxPings = 200, kFewestPings = 10, kWarmUp = 5;
constexpr double kPingSeconds = 0.3;
constexpr size_t kFirstMessage = 64 << 10, kLargestMessage = 64 << 20;   // bytes
constexpr double kLongEnough = 0.2;                                      // seconds that a bandwidth is measured over
constexpr size_t kFirstPart = 8 * kChunk, kLargestPart = 2048 * kChunk;  // values: 1 and 256 MiB
constexpr size_t kBucket = 64 * kChunk;                                  // values: 8 MiB, as in training
constexpr double kLongEnoughForAll = 0.5;

// Two workers that send in turn.
class Conversation {
 public:
  Conversation(Communicator& all, int other) : all_(all), other_(other) {}

  void send(std::span<const std::byte> data) { all_.exchange_with(other_, data, {}); }
  void receive(std::span<std::byte> data) { all_.exchange_with(other_, {}, data); }

  void say(double number) { send(std::as_bytes(std::span(&number, 1))); }
  double hear() {
    double number = 0;
    receive(std::as_writable_bytes(std::span(&number, 1)));
    return number;
  }

 private:
  Communicator& all_;
  int other_;
};

// The measuring worker sends the number of bytes that will follow, or -1 at the end. The other one answers with its
// time of day, which completes the round trip, and again when it has received the bytes.
double ask(Conversation& talk, size_t bytes) {
  talk.say(static_cast<double>(bytes));
  return talk.hear();
}

void answer(Conversation talk) {
  std::vector<std::byte> room(kLargestMessage);
  while (true) {
    const double bytes = talk.hear();
    if (bytes < 0) return;
    talk.say(wall_seconds());
    if (bytes == 0) continue;
    talk.receive(std::span(room).first(static_cast<size_t>(bytes)));
    talk.say(wall_seconds());
  }
}

void measure_round_trip(Conversation& talk, LinkFacts& link) {
  std::vector<double> round_trips;
  double shortest = 1e9;
  const auto begin = Clock::now();
  for (int i = 0; i < kMaxPings && (i < kFewestPings || seconds_since(begin) < kPingSeconds); ++i) {
    const double sent = wall_seconds();
    const auto start = Clock::now();
    const double their_time = ask(talk, 0);
    const double seconds = seconds_since(start);
    if (i < kWarmUp) continue;
    round_trips.push_back(seconds);
    if (seconds >= shortest) continue;
    shortest = seconds;  // the best estimate of the other clock: read halfway
    link.clock_offset_seconds = their_time - (sent + seconds / 2);
  }
  const auto median = round_trips.begin() + static_cast<std::ptrdiff_t>(round_trips.size() / 2);
  std::nth_element(round_trips.begin(), median, round_trips.end());
  link.round_trip_seconds = *median;
}

// Sends messages of doubling size without a pause: by the time one takes long enough to count, the earlier ones have
// used up the burst that a network may pass on faster.
void measure_bandwidth(Conversation& talk, LinkFacts& link) {
  const std::vector<std::byte> data(kLargestMessage);
  for (size_t size = kFirstMessage;; size *= 2) {
    ask(talk, size);
    const auto start = Clock::now();
    talk.send(std::span(data).first(size));
    talk.hear();
    const double seconds = seconds_since(start);
    const double alone =
        std::max(seconds - link.round_trip_seconds / 2, seconds / 2);  // without the time of the answer
    link.bytes_per_second = static_cast<double>(size) / alone;
    if (seconds >= kLongEnough || size == kLargestMessage) return;
  }
}

LinkFacts measure_link(Conversation talk, const std::string& from, const std::string& to) {
  LinkFacts link;
  link.from = from;
  link.to = to;
  measure_round_trip(talk, link);
  measure_bandwidth(talk, link);
  talk.say(-1);
  return link;
}

}  // namespace

std::vector<LinkFacts> measure_links(Workers& workers) {
  std::vector<int> firsts;
  for (const Worker& worker : workers.all()) {
    if (worker.local_rank == 0) firsts.push_back(worker.rank);
  }
  return measure_links_between(workers, firsts);
}

std::vector<LinkFacts> measure_links_between(Workers& workers, const std::vector<int>& ranks) {
  const auto host = [&](int rank) { return workers.all()[static_cast<size_t>(rank)].host; };
  Json own = Json::array();
  for (const Round& round : rounds_of_pairs(static_cast<int>(ranks.size()))) {
    const auto measure = [&](Communicator& all) {
      all.barrier();
      for (const auto& [first, second] : round) {
        const int a = ranks[static_cast<size_t>(first)], b = ranks[static_cast<size_t>(second)];
        if (all.rank() == a) {
          own.push_back(measure_link({all, b}, host(a), host(b)));
          answer({all, b});
        } else if (all.rank() == b) {
          answer({all, a});
          own.push_back(measure_link({all, a}, host(b), host(a)));
        }
      }
    };
    workers.start("measurement of links", measure).get();
  }
  std::vector<LinkFacts> links;
  for (const std::string& text : workers.comm().gather(dump_json(own))) {
    for (const Json& link : parse_json(text)) links.push_back(link.get<LinkFacts>());
  }
  return links;
}

double sum_over_workers(Communicator& all, std::span<float> buffer, Wire wire) {
  all.barrier();
  const auto start = Clock::now();
  for (size_t begin = 0; begin < buffer.size(); begin += kBucket) {
    const Interval piece = {begin, std::min(begin + kBucket, buffer.size())};
    all.all_reduce(buffer, piece, wire);
  }
  double seconds = seconds_since(start);
  all.max({&seconds, 1});  // the same on all, so that all decide the same
  return seconds;
}

AllReduceFacts measure_all_reduce(Workers& workers, uint64_t bytes, Wire wire) {
  AllReduceFacts facts;
  facts.workers = workers.size();
  facts.bytes = bytes;
  const size_t values = bytes / sizeof(float);
  if (workers.size() == 1 || values == 0) return facts;
  const auto measure = [&](Communicator& all) {
    std::vector<float> buffer(std::min(values, kLargestPart));
    for (size_t part = std::min(buffer.size(), kFirstPart);; part = std::min(2 * part, buffer.size())) {
      facts.measured_bytes = part * sizeof(float);
      facts.seconds = sum_over_workers(all, std::span(buffer).first(part), wire);
      if (facts.seconds >= kLongEnoughForAll || part == buffer.size()) break;
    }
  };
  workers.start("measurement of an all-reduce", measure).get();
  return facts;
}

std::vector<Round> rounds_of_pairs(int count) {
  if (count < 2) return {};
  const int chairs = count + count % 2;
  std::vector<int> table;
  for (int i = 0; i < chairs; ++i) table.push_back(i);
  std::vector<Round> rounds;
  for (int round = 0; round + 1 < chairs; ++round) {
    rounds.emplace_back();
    for (int i = 0; i < chairs / 2; ++i) {
      const auto [low, high] = std::minmax(table[static_cast<size_t>(i)], table[static_cast<size_t>(chairs - 1 - i)]);
      if (high < count) rounds.back().emplace_back(low, high);
    }
    std::rotate(table.begin() + 1, table.end() - 1, table.end());
  }
  return rounds;
}

}  // namespace verbund
