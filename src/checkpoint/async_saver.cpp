#include "checkpoint/async_saver.h"

#include <chrono>
#include <utility>

#include "core/log.h"

namespace verbund {
namespace {

class Stopwatch {
 public:
  // Seconds since the last call, or since the start.
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(start_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

SaveReport write(CheckpointStore& store, const CheckpointSnapshot& snapshot, SaveReport report) {
  Stopwatch watch;
  report.folder = store.save(snapshot);
  report.write_seconds = watch.lap();
  debug("checkpoint {}: {} bytes written in {:.3f} s", report.folder.string(), report.bytes, report.write_seconds);
  return report;
}

}  // namespace

AsyncSaver::~AsyncSaver() {
  try {
    finish();
  } catch (const std::exception& error) {
    warn("{}", error.what());
  }
}

void AsyncSaver::reserve(const CheckpointSnapshot& snapshot) {
  finish();  // a save under way reads from the area
  if (store_.config().asynchronous) staging_.reserve(snapshot);
}

void AsyncSaver::start(const CheckpointSnapshot& snapshot) {
  Stopwatch watch;
  finish();
  SaveReport report;
  report.step = snapshot.step;
  report.bytes = snapshot.tensor_bytes();
  report.wait_seconds = watch.lap();
  if (!store_.config().asynchronous) {
    reports_.push_back(write(store_, snapshot, report));
    return;
  }
  CheckpointSnapshot staged = staging_.copy(snapshot);
  report.copy_seconds = watch.lap();
  debug("checkpoint of step {}: copied in {:.3f} s, after {:.3f} s of waiting for the one before", report.step,
        report.copy_seconds, report.wait_seconds);
  under_way_ = std::async(std::launch::async,
                          [this, staged = std::move(staged), report] { return write(store_, staged, report); });
}

void AsyncSaver::finish() {
  if (under_way_.valid()) reports_.push_back(under_way_.get());
}

std::vector<SaveReport> AsyncSaver::take_reports() {
  const bool ended = under_way_.valid() && under_way_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  if (ended) finish();
  return std::exchange(reports_, {});
}

}  // namespace verbund
