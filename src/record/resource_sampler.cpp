// SPDX-License-Identifier: Apache-2.0
#include "record/resource_sampler.h"

#include <chrono>
#include <limits>

#include "core/json.h"

namespace verbund {
namespace {

using Clock = std::chrono::steady_clock;

std::vector<ResourceSource> with_clock(std::vector<ResourceSource> sources, const RecordPost& post) {
  sources.push_back(clock_source(post.clock));
  return sources;
}

ResourceHeader header_of(const RecordPost& post, const std::vector<ResourceSource>& sources) {
  ResourceHeader header = {post.self.rank, post.self.host, post.start, {}};
  for (const ResourceSource& source : sources) {
    for (const ResourceSource::Column& column : source.columns) header.columns.push_back(column.column);
  }
  return header;
}

std::vector<ResourceSource::Kind> kinds_of(const std::vector<ResourceSource>& sources) {
  std::vector<ResourceSource::Kind> kinds;
  for (const ResourceSource& source : sources) {
    for (const ResourceSource::Column& column : source.columns) kinds.push_back(column.kind);
  }
  return kinds;
}

}  // namespace

ResourceSource clock_source(std::function<ClockOffset()> clock) {
  return {{{{"clock.offset", "s", "added to the worker's clock, it gives worker 0's"}, ResourceSource::kNow},
           {{"clock.bound", "s", "error bound of the offset"}, ResourceSource::kNow}},
          [clock = std::move(clock)](std::span<double> values) {
            const ClockOffset now = clock();
            values[0] = now.offset;
            values[1] = now.bound;
          }};
}

ResourceSampler::ResourceSampler(RecordPost post, std::vector<ResourceSource> sources, double interval)
    : post_(std::move(post)),
      sources_(with_clock(std::move(sources), post_)),
      header_(header_of(post_, sources_)),
      rates_(kinds_of(sources_)),
      thread_([this, interval] { run(interval); }) {}

void ResourceSampler::run(double interval) {
  const auto step = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(interval));
  Clock::time_point next = Clock::now();
  std::unique_lock lock(mutex_);
  do {
    lock.unlock();
    {
      const std::lock_guard sampling(sampling_);
      take_sample();
    }
    lock.lock();
    // Keeps the cadence. Samples that were missed while the process was stopped are not made up for.
    next = std::max(next + step, Clock::now());
  } while (!changed_.wait_until(lock, next, [&] { return stop_; }));
}

void ResourceSampler::pause() {
  const std::lock_guard sampling(sampling_);
  if (rows_ == 0 && monotonic_seconds() - began_ >= kShortestRow) take_sample();
}

void ResourceSampler::take_sample() try {
  std::vector<double> reading(header_.columns.size(), std::numeric_limits<double>::quiet_NaN());
  std::span<double> rest = reading;
  for (const ResourceSource& source : sources_) {
    if (!source.columns.empty()) source.read(rest.first(source.columns.size()));
    rest = rest.subspan(source.columns.size());
  }
  note_clock();
  const double now = post_.now();
  auto values = rates_.row(monotonic_seconds(), reading);
  if (!values) return;
  if (rows_++ % kRowsPerHeader == 0) post_.post(header_);
  post_.post(ResourceRow{now, std::move(*values)});
} catch (const std::exception&) {
  // A source that cannot be read now may be readable in a second.
}

// Worker 0's clock is the clock of the run.
void ResourceSampler::note_clock() {
  const ClockOffset clock = post_.clock();
  if (post_.self.rank == 0 || !clock_notes_.is_news(clock)) return;
  const Json details = {{"worker", post_.self.rank}, {"offset", clock.offset}, {"bound", clock.bound}};
  post_.post(OwnEvent{post_.now(), {.event = "clock", .step = -1, .details = details}});
}

void ResourceSampler::stop() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

}  // namespace verbund
