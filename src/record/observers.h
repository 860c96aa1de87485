// All observers of a run as one: each hears everything, in the order in which they were added.
#pragma once

#include <memory>
#include <vector>

#include "record/run_observer.h"

namespace verbund {

class Observers : public RunObserver {
 public:
  Observers() = default;
  // The last one first: it may use those before it.
  ~Observers() override {
    while (!all_.empty()) all_.pop_back();
  }
  Observers(const Observers&) = delete;
  Observers& operator=(const Observers&) = delete;

  void add(std::unique_ptr<RunObserver> observer) { all_.push_back(std::move(observer)); }

  void begin(int64_t step) override { tell(&RunObserver::begin, step); }
  void step(const StepSeen& seen) override { tell(&RunObserver::step, seen); }
  void pause() override { tell(&RunObserver::pause); }
  void evaluation(const EvaluationSeen& seen) override { tell(&RunObserver::evaluation, seen); }
  void sample(const SampleSeen& seen) override { tell(&RunObserver::sample, seen); }
  void metrics(const nlohmann::ordered_json& line) override { tell(&RunObserver::metrics, line); }
  void event(const RunEvent& happened) override { tell(&RunObserver::event, happened); }
  void end() override { tell(&RunObserver::end); }

 private:
  template <typename Call, typename... What>
  void tell(Call call, const What&... what) {
    for (const auto& observer : all_) (observer.get()->*call)(what...);
  }

  std::vector<std::unique_ptr<RunObserver>> all_;
};

}  // namespace verbund
