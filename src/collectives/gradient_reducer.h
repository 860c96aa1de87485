// Adds up the gradients of all workers while they are still being made. As soon as a bucket of the
// flat gradient buffer is ready, it leaves: with the thread of communication, or, where the devices
// can do that among themselves, on a stream beside the one that computes. Gradients of a device that
// travel by the hosts take the way through host memory. What leaves in which order is planned before
// (comm/bucket_plan.h); the rows of looked-up embeddings go apart from the others (comm/row_exchange.h).
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
#include "collectives/step_times.h"
#include "collectives/exchange_tuner.h"
#include "collectives/residual_places.h"
#include "collectives/row_exchange.h"
#include "collectives/workers.h"
#include "device/host_memory.h"
#include "device/weights.h"
#include "model/gradient_ready.h"

namespace verbund {

struct ReduceTimes {
  double busy = 0;     // seconds in which something was under way, waiting for slower workers included
  double exposed = 0;  // of these, seconds that the computation had to wait for
  uint64_t bytes = 0;  // sent

  double hidden_share() const { return busy > 0 ? 1 - std::min(1.0, exposed / busy) : 0; }
};

class GradientReducer {
 public:
  // The buffer must stay where it is. `devices`: null if the hosts exchange. `with_rows`: in what order the model makes
  // gradients ready if it tells rows apart; those of several workers' CPUs travel so. Without it, all goes from the
  // buffer's end to its begin.
  GradientReducer(Workers& workers, Buffer& gradients, const WorkersConfig& config,
                  DeviceCommunicator* devices = nullptr, std::optional<GradientOrder> with_rows = {});

  // Waits for what is under way: it works on the buffer.
  ~GradientReducer();
  GradientReducer(const GradientReducer&) = delete;
  GradientReducer& operator=(const GradientReducer&) = delete;

  // The times of buckets count from `began`.
  void begin(std::chrono::steady_clock::time_point began = std::chrono::steady_clock::now());
  // For the model's pass over a micro-batch: the gradients of the last one leave while it goes on.
  GradientReady listener(bool last_pass);
  // Nothing is added to these values any more.
  void mark_ready(Interval values);
  // The rest is ready too; waits until all is summed. With a sharded optimiser only a worker's own
  // chunks are, see owned().
  void finish();

  // After a worker has updated its own: brings all of them to everybody. Nothing if all update all.
  void share_weights(Weights& weights);

  // The pieces of the buffer that this worker updates: all of it, or its share.
  const std::vector<Interval>& owned() const { return owned_; }
  bool is_sharded() const { return sharded_; }

  // What rounding to int8 has taken away of the gradients so far, as far as it is this worker's to keep; null if
  // nothing is rounded so. It changes until a step is finished.
  ErrorFeedback* feedback() const { return feedback_.get(); }
  ResidualPlaces residual_places() const;
  // After a step: of one that was skipped nothing is to be made up for; the gradients of the next one are so many times
  // as large, by their loss scale.
  void settle_residuals(bool updated, double factor);

  // Of the last step, until the next one begins.
  const ReduceTimes& times() const { return times_; }
  std::span<const BucketTimes> buckets() const { return buckets_; }  // in the order in which they left
  bool is_tuning() const { return tuning_; }                         // it tried out how to exchange
  // Once all of that has been found: what to tell the user, in one line; empty otherwise.
  std::string take_report();
  // How to exchange, if that was found by trying. And using what was found before, on the same hosts, between two
  // steps.
  const std::optional<ExchangeSettings>& found_settings() const { return tuner_.found(); }
  void use_found_settings(const ExchangeSettings& found) { tuner_.settle(found); }

 private:
  // The rows that a lookup has given, in all passes of a step; and their sums over all workers.
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
  // What the hosts exchange: the buffer itself, or where a device's gradients pass through.
  std::optional<HostMemory> passage_;
  std::unique_ptr<SideStream> side_;
  std::span<float> exchanged_;
  // Among devices: when the step began, and of each bucket, when it was made and when it was summed.
  std::unique_ptr<DeviceEvent> step_began_;
  double step_began_seconds_ = 0;
  std::vector<std::pair<std::unique_ptr<DeviceEvent>, std::unique_ptr<DeviceEvent>>> moments_;
  Wire wire_;
  std::unique_ptr<ErrorFeedback> feedback_;
  bool sharded_;
  std::vector<Interval> owned_;
  ExchangeTuner tuner_;
  GradientOrder order_;
  BucketPlan plan_;
  ExchangeSettings settings_;           // that the plan is for
  std::vector<LookupSum> lookup_sums_;  // of order_.lookups
  std::vector<std::future<void>> under_way_;
  std::vector<BucketTimes> buckets_;  // stays where it is: the thread of communication writes into those under way
  std::chrono::steady_clock::time_point began_;
  bool tuning_ = false;
  double busy_before_ = 0;
  uint64_t bytes_before_ = 0;
  ReduceTimes times_;
};

}  // namespace verbund
