// SPDX-License-Identifier: Apache-2.0
// GradientReducer all-reduces the gradients of data-parallel workers while the backward pass still computes them, as
// DDP does. As soon as a gradient bucket is ready, it is sent: by the communication thread, or, where the devices can
// communicate directly, on a side stream. Gradients on a device that the hosts exchange are copied through host memory.
// The order of the buckets is planned before (collectives/bucket_plan.h); the rows of looked-up embeddings are
// exchanged apart from the others (collectives/row_exchange.h).
//
//   reducer.begin();
//   model.accumulate(batch, pass, reducer.listener(true));
//   reducer.finish();   // every value is now the sum over all workers
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <vector>

#include "collectives/bucket_plan.h"
#include "collectives/exchange_tuner.h"
#include "collectives/residual_places.h"
#include "collectives/row_exchange.h"
#include "collectives/step_times.h"
#include "collectives/workers.h"
#include "device/buffer.h"
#include "device/weights.h"
#include "model/gradient_order.h"

namespace verbund {

struct ReduceTimes {
  double busy = 0;     // seconds with something in flight, waiting for slower workers included
  double exposed = 0;  // of these, seconds that the computation waited
  uint64_t bytes = 0;  // sent
};

class GradientReducer {
 public:
  // The buffer must stay where it is. `devices`: null if the hosts exchange. `with_rows`: the order in which gradients
  // become ready if the model separates rows, which several workers on CPUs use. Without it, the buffer is sent from
  // the last value to the first.
  GradientReducer(Workers& workers, Buffer& gradients, const WorkersConfig& config,
                  DeviceCommunicator* devices = nullptr, std::optional<GradientOrder> with_rows = {});

  // Waits for what is in flight, which works on the buffer.
  ~GradientReducer();
  GradientReducer(const GradientReducer&) = delete;
  GradientReducer& operator=(const GradientReducer&) = delete;

  // The times of buckets are relative to `began`.
  void begin(std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now());
  // For the model's pass over a micro-batch: the gradients of the last pass are sent while it runs.
  GradientReady listener(bool last_pass);
  // These values are final.
  void mark_ready(Interval values);
  // The rest is ready too; waits until all is summed. With a sharded optimiser only a worker's own chunks are summed,
  // see owned().
  void finish();

  // After the update with a sharded optimiser: gathers the updated weights of all workers on every worker.
  void share_weights(Weights& weights);

  // The slices of the buffer that this worker updates: all of it, or its shard.
  const std::vector<Interval>& owned() const { return owned_; }
  bool is_sharded() const { return sharded_; }

  // This worker's residuals of rounding gradients to int8; null without that rounding. They change until a step is
  // finished.
  ErrorFeedback* feedback() const { return feedback_.get(); }
  ResidualPlaces residual_places() const;
  // After a step: drops the residuals if the update was skipped, and scales them by `factor`, the change of the loss
  // scale.
  void settle_residuals(bool updated, double factor);

  // Times of the last step, until the next one begins.
  const ReduceTimes& times() const { return times_; }
  std::span<const BucketTimes> buckets() const { return buckets_; }  // in the order of sending
  bool is_tuning() const { return tuning_; }                         // the step tried settings of the exchange
  // A line for the user, once all settings have been found; empty otherwise.
  std::string take_report();
  // The settings found by trying; and settings found before on the same hosts, to be set between two steps.
  const std::optional<ExchangeSettings>& found_settings() const { return tuner_.found(); }
  void use_found_settings(const ExchangeSettings& found) { tuner_.settle(found); }

 private:
  // The rows of a lookup, from all passes of a step, and their sums over all workers.
  struct LookupSum {
    Lookup lookup;
    SparseRows own;
    RowExchange exchange;
  };

  void use_settings(const ExchangeSettings& settings);
  bool takes_rows() const { return !lookup_sums_.empty(); }
  void keep_rows(const LookupRows& rows, bool last_pass);
  void send_ready();
  void send_by_devices(Interval bucket);
  void send_by_hosts(Interval bucket);
  void send_rows(LookupSum& sum);
  void wait_for_devices(const char* what);
  void take_device_times();
  void share_by_devices(float* values);
  void share_by_hosts(Buffer& weights);
  void count();
  double seconds() const;

  Workers& workers_;
  Buffer& gradients_;
  Device& device_;
  DeviceCommunicator* devices_;
  // What the hosts exchange: the buffer itself, or the staging memory of a device's gradients.
  std::optional<HostMemory> staging_;
  std::unique_ptr<SideStream> side_;
  std::span<float> exchanged_;
  // With device communication: the start of the step, and for each bucket the events of its readiness and its sum.
  std::unique_ptr<DeviceEvent> step_began_;
  double step_began_seconds_ = 0;
  std::vector<std::pair<std::unique_ptr<DeviceEvent>, std::unique_ptr<DeviceEvent>>> bucket_events_;
  Wire wire_;
  std::unique_ptr<ErrorFeedback> feedback_;
  bool sharded_;
  std::vector<Interval> owned_;
  ExchangeTuner tuner_;
  GradientOrder order_;
  BucketPlan plan_;
  ExchangeSettings settings_;           // of the plan
  std::vector<LookupSum> lookup_sums_;  // of order_.lookups
  std::vector<std::future<void>> under_way_;
  std::vector<BucketTimes> buckets_;  // never reallocated: the communication thread writes into those in flight
  std::chrono::steady_clock::time_point began_;
  bool tuning_ = false;
  double busy_before_ = 0;
  uint64_t bytes_before_ = 0;
  ReduceTimes times_;
};

}  // namespace verbund
