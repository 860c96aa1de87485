// SPDX-License-Identifier: Apache-2.0
#include "collectives/gradient_reducer.h"

#include <utility>

#include "collectives/chunks.h"
#include "core/log.h"

namespace verbund {
namespace {

constexpr size_t kDevicesBucket = 64 * kChunk;  // 8 MiB

// The order in which NCCL adds the workers' values depends on the size of the message, so a bucket size found by
// measuring would change the bits of the sums from run to run. Two workers have only one order.
size_t bucket_of(const WorkersConfig& config, int workers, const DeviceCommunicator* devices) {
  if (config.bucket_kb == 0 && devices != nullptr && workers > 2) return kDevicesBucket;
  return static_cast<size_t>(config.bucket_kb) * 1024 / sizeof(float);
}

// The rows change from step to step, so no later message could make up for the rounding errors of int8: rows are sent
// in bf16. Within one host nothing is rounded.
Wire wire_of_rows(Wire wire, int hosts) {
  if (hosts == 1) return Wire::kFp32;
  return wire == Wire::kInt8 ? Wire::kBf16 : wire;
}

}  // namespace

GradientReducer::GradientReducer(Workers& workers, Buffer& gradients, const WorkersConfig& config,
                                 DeviceCommunicator* devices, std::optional<GradientOrder> with_rows)
    : workers_(workers),
      gradients_(gradients),
      device_(gradients.device()),
      devices_(devices),
      wire_(config.wire),
      sharded_(config.shard_optimizer && workers.size() > 1),
      owned_(sharded_ ? owned_by(workers.rank(), workers.size(), gradients.size())
                      : std::vector<Interval>{{0, gradients.size()}}),
      tuner_(bucket_of(config, workers.size(), devices), gradients.size(),
             devices == nullptr ? ExchangeTuner::Tries::kBucketsAndFlights : ExchangeTuner::Tries::kBuckets),
      order_(with_rows && workers.size() > 1 && devices == nullptr && device_.is_host()
                 ? std::move(*with_rows)
                 : order_without_rows(gradients.size())),
      plan_(order_, tuner_.now().bucket),
      settings_(tuner_.now()) {
  const int hosts = workers.comm().layout().hosts();
  debug("gradients: {} values, {} host(s), {}, buckets of {} values, {} chunks in flight, {} lookups sent as rows",
        gradients.size(), hosts, devices == nullptr ? "exchanged by MPI" : "exchanged by NCCL", settings_.bucket,
        settings_.in_flight, order_.lookups.size());
  for (const Lookup& lookup : order_.lookups) {
    lookup_sums_.push_back({lookup, {}, RowExchange(lookup, wire_of_rows(wire_, hosts))});
  }
  buckets_.reserve(gradients.size() / kChunk + order_.events.size() + 2);
  if (workers.size() == 1 || devices != nullptr) return;
  if (!device_.is_host()) {
    staging_.emplace(device_, gradients.size());
    side_ = device_.make_side_stream();
  }
  exchanged_ = staging_ ? staging_->values() : gradients.host();
  if (wire_ == Wire::kInt8 && hosts > 1) feedback_ = std::make_unique<ErrorFeedback>();
}

GradientReducer::~GradientReducer() {
  for (std::future<void>& bucket : under_way_) {
    if (bucket.valid()) bucket.wait();
  }
}

// Since the step began.
double GradientReducer::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
}

void GradientReducer::begin(std::chrono::steady_clock::time_point began) {
  began_ = began;
  buckets_.clear();
  bucket_events_.clear();
  if (devices_ != nullptr) {
    step_began_ = device_.mark();
    step_began_seconds_ = seconds();
  }
  tuning_ = workers_.size() > 1 && !tuner_.is_settled();
  use_settings(tuner_.now());
  plan_.restart();
  for (LookupSum& sum : lookup_sums_) sum.own = {};
  busy_before_ = workers_.seconds_busy();
  bytes_before_ = workers_.bytes_sent();
}

void GradientReducer::use_settings(const ExchangeSettings& settings) {
  const ExchangeSettings before = std::exchange(settings_, settings);
  if (before.bucket != settings.bucket) plan_ = BucketPlan(order_, settings.bucket);
  if (before.in_flight != settings.in_flight) workers_.comm().set_in_flight(settings.in_flight);
}

std::string GradientReducer::take_report() { return tuner_.is_settled() ? tuner_.take_report() : ""; }

GradientReady GradientReducer::listener(bool last_pass) {
  GradientReady ready;
  if (last_pass) ready.values = [this](Interval values) { mark_ready(values); };
  if (takes_rows()) ready.rows = [this, last_pass](const LookupRows& rows) { keep_rows(rows, last_pass); };
  return ready;
}

void GradientReducer::mark_ready(Interval values) {
  if (workers_.size() == 1) return;
  plan_.mark_ready(values);
  send_ready();
}

void GradientReducer::keep_rows(const LookupRows& rows, bool last_pass) {
  LookupSum& sum = lookup_sums_[rows.lookup];
  const auto width = static_cast<size_t>(sum.lookup.width);
  SparseRows more = {rows.ids, {rows.values.begin(), rows.values.end()}};
  if (!last_pass && sum.lookup.is_dense) {  // the table's values have not been sent yet, and include these
    add_rows(more, width, exchanged_.subspan(sum.lookup.place.begin, sum.lookup.place.size()));
    return;
  }
  sum.own = sum.own.count() == 0 ? std::move(more) : verbund::sum(sum.own, more, width);
  if (!last_pass) return;
  plan_.mark_rows_ready(rows.lookup);
  send_ready();
}

void GradientReducer::send_ready() {
  while (const Transfer* next = plan_.take_next()) {
    buckets_.emplace_back().ready = seconds();
    if (next->rows) {
      send_rows(lookup_sums_[*next->rows]);
    } else {
      devices_ != nullptr ? send_by_devices(next->values) : send_by_hosts(next->values);
    }
  }
}

void GradientReducer::send_by_devices(Interval bucket) {
  BucketTimes& times = buckets_.back();
  std::unique_ptr<DeviceEvent> made = device_.mark();
  devices_->stream().wait_for(*made);
  devices_->all_reduce(gradients_.data() + bucket.begin, bucket.size());
  bucket_events_.emplace_back(std::move(made), devices_->stream().mark());
  times.bytes = 2 * bucket.size() * sizeof(float) * static_cast<size_t>(workers_.size() - 1) /
                static_cast<size_t>(workers_.size());  // as a ring all-reduce sends
}

void GradientReducer::send_by_hosts(Interval bucket) {
  BucketTimes& times = buckets_.back();
  const std::shared_ptr<DeviceEvent> made = staging_ ? device_.mark() : nullptr;
  under_way_.push_back(workers_.start("sum of gradients", [this, bucket, made, &times](Communicator& comm) {
    const size_t bytes = bucket.size() * sizeof(float);
    if (staging_) {
      side_->wait_for(*made);
      side_->download(&exchanged_[bucket.begin], gradients_.data() + bucket.begin, bytes);
      side_->synchronize();
    }
    const uint64_t bytes_before = comm.bytes_sent();
    times.begin = seconds();
    const Rounding rounding(wire_, feedback_.get());
    sharded_ ? comm.reduce_scatter(exchanged_, bucket, rounding) : comm.all_reduce(exchanged_, bucket, rounding);
    times.end = seconds();
    times.bytes = comm.bytes_sent() - bytes_before;
    if (staging_) side_->upload(gradients_.data() + bucket.begin, &exchanged_[bucket.begin], bytes);
  }));
}

void GradientReducer::send_rows(LookupSum& sum) {
  BucketTimes& times = buckets_.back();
  under_way_.push_back(workers_.start("sum of gradients", [this, &sum, &times](Communicator& comm) {
    const uint64_t bytes_before = comm.bytes_sent();
    times.begin = seconds();
    sum.exchange.exchange(comm, sum.own);
    times.end = seconds();
    times.bytes = comm.bytes_sent() - bytes_before;
  }));
}

void GradientReducer::finish() {
  if (workers_.size() == 1) return;
  plan_.mark_all_ready();
  send_ready();
  const auto began = std::chrono::steady_clock::now();
  for (std::future<void>& bucket : under_way_) bucket.get();
  under_way_.clear();
  // After all buckets: a chunk with the end of a table and the start of what follows is summed late.
  for (LookupSum& sum : lookup_sums_) sum.exchange.add_to(exchanged_);
  if (devices_ != nullptr) {
    wait_for_devices("sum of gradients");
    take_device_times();
  } else if (staging_) {
    device_.wait_for(*side_->mark());
  }
  times_.exposed = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  count();
  tuner_.record(workers_, times_.exposed);
}

void GradientReducer::share_weights(Weights& weights) {
  if (!sharded_) return;
  const auto began = std::chrono::steady_clock::now();
  devices_ != nullptr ? share_by_devices(weights.write().data()) : share_by_hosts(weights.write());
  times_.exposed += std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  count();
}

// The workers own chunks in turn, so as many chunks in a row as there are workers are gathered in place.
void GradientReducer::share_by_devices(float* values) {
  const size_t row = kChunk * static_cast<size_t>(workers_.size());
  const size_t rows_end = gradients_.size() / row * row;
  devices_->stream().wait_for(*device_.mark());
  devices_->group([&] {
    for (size_t begin = 0; begin < rows_end; begin += row) devices_->all_gather(values + begin, kChunk);
    for (const Chunk& chunk : chunks_of({rows_end, gradients_.size()}, workers_.size())) {
      devices_->broadcast(values + chunk.place.begin, chunk.place.size(), chunk.owner);
    }
  });
  wait_for_devices("gathering of weights");
}

void GradientReducer::share_by_hosts(Buffer& weights) {
  const std::span<float> host = staging_ ? exchanged_ : weights.host();
  const std::unique_ptr<DeviceEvent> made = staging_ ? device_.mark() : nullptr;
  workers_
      .start("gathering of weights",
             [&](Communicator& comm) {
               if (staging_) {
                 side_->wait_for(*made);
                 for (const Interval interval : owned_) {
                   side_->download(&host[interval.begin], weights.data() + interval.begin,
                                   interval.size() * sizeof(float));
                 }
                 side_->synchronize();
               }
               comm.all_gather(host, {0, host.size()}, Wire::kFp32);
               if (staging_) side_->upload(weights.data(), host.data(), host.size_bytes());
             })
      .get();
  if (staging_) device_.wait_for(*side_->mark());
}

ResidualPlaces GradientReducer::residual_places() const {
  return {workers_.comm().layout(), sharded_ ? SumsAt::kOwner : SumsAt::kAnyHost, gradients_.size()};
}

void GradientReducer::settle_residuals(bool updated, double factor) {
  if (feedback_ == nullptr) return;
  if (!updated) return feedback_->clear();  // residuals of exploded values would make the next ones explode
  if (factor != 1) feedback_->multiply(static_cast<float>(factor));
}

// Runs on the communication thread, so that the watchdog knows who waits for whom.
void GradientReducer::wait_for_devices(const char* what) {
  workers_.start(what, [&](Communicator&) { devices_->wait(); }).get();
  device_.wait_for(*devices_->stream().mark());
}

// A bucket begins when it is ready and the one before it is summed.
void GradientReducer::take_device_times() {
  double before = 0;
  for (size_t i = 0; i < buckets_.size(); ++i) {
    auto& [made, summed] = bucket_events_[i];
    BucketTimes& times = buckets_[i];
    times.ready = step_began_seconds_ + made->seconds_after(*step_began_);
    times.begin = std::max(times.ready, before);
    times.end = before = step_began_seconds_ + summed->seconds_after(*step_began_);
  }
}

void GradientReducer::count() {
  times_.busy = workers_.seconds_busy() - busy_before_;
  times_.bytes = workers_.bytes_sent() - bytes_before_;
  if (devices_ == nullptr) return;
  times_.busy = 0;
  for (const BucketTimes& bucket : buckets_) {
    times_.busy += bucket.end - bucket.begin;
    times_.bytes += bucket.bytes;
  }
}

}  // namespace verbund
