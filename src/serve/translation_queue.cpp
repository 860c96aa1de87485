// SPDX-License-Identifier: Apache-2.0
#include "serve/translation_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>

#include "core/interrupt.h"

namespace verbund {
namespace {

// Clients whose answers left together come back together. To translate them together again, the next batch waits for
// them, at most for this share of the last batch's time.
constexpr double kGatheringShare = 0.1;
constexpr double kLongestGathering = 0.02;  // seconds

}  // namespace

QueueFull::QueueFull(size_t waiting, double seconds)
    : Error(fmt::format("{} sentences wait already: try again in {:.0f} s", waiting, std::max(1.0, seconds))),
      seconds_(seconds) {}

TranslationQueue::TranslationQueue(const QueueConfig& config) : config_(config), thread_([this] { work(); }) {}

TranslationQueue::~TranslationQueue() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
  for (const std::function<void()>& each : calls_) each();
}

double TranslationQueue::seconds_until_room() const {
  if (counts_.sentences == 0) return 1;
  return static_cast<double>(counts_.waiting) * counts_.busy_seconds / static_cast<double>(counts_.sentences);
}

std::shared_ptr<TranslationQueue::Ticket> TranslationQueue::submit(TranslationJob job) {
  const auto request = std::make_shared<Waiting>();
  const size_t count = job.sentences.size();
  request->job = std::move(job);
  request->results.resize(count);
  request->is_done.resize(count);
  const std::lock_guard lock(mutex_);
  if (stopping_) throw NotInTime("the server is stopping");
  // A request of any size finds room in an empty queue, or it never would.
  if (counts_.waiting > 0 && counts_.waiting + count > config_.most_waiting) {
    ++counts_.refused;
    throw QueueFull(counts_.waiting, seconds_until_room());
  }
  if (count > 0) {
    waiting_.push_back(request);
    counts_.waiting += count;
    changed_.notify_all();
  }
  return std::make_shared<Ticket>(*this, request);
}

TranslationQueue::Ticket::~Ticket() {
  const std::lock_guard lock(queue_.mutex_);
  queue_.leave(request_);
}

TranslationQueue::Results TranslationQueue::await(Ticket& ticket, const TellResult& tell) {
  Waiting& request = *ticket.request_;
  const size_t count = request.results.size();
  std::unique_lock lock(mutex_);
  for (size_t told = 0; told < count;) {
    if (request.is_done[told]) {
      lock.unlock();
      const bool wanted = !tell || tell(told, request.results[told]);
      lock.lock();
      if (!wanted) return {};
      ++told;
    } else if (request.error) {
      std::rethrow_exception(request.error);
    } else if (Clock::now() >= request.job.deadline) {
      ++counts_.late;
      throw NotInTime("the translation was not done in time");
    } else {
      request.changed.wait_until(lock, request.job.deadline);
    }
  }
  return std::move(request.results);
}

// Sentences that are being translated are not waited for: their results go nowhere.
void TranslationQueue::leave(const std::shared_ptr<Waiting>& request) {
  const auto found = std::find(waiting_.begin(), waiting_.end(), request);
  if (found == waiting_.end()) return;
  counts_.waiting -= request->job.sentences.size() - request->begun;
  waiting_.erase(found);
}

void TranslationQueue::call(const std::function<void()>& work) {
  std::packaged_task<void()> task(work);
  std::future<void> done = task.get_future();
  post([&task] { task(); });
  done.get();
}

void TranslationQueue::post(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    calls_.push_back(std::move(work));
  }
  changed_.notify_all();
}

QueueCounts TranslationQueue::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

void TranslationQueue::work() {
  const DeferInterrupts deferred;  // a stop answers what was taken
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [&] { return stopping_ || !waiting_.empty() || !calls_.empty(); });
    while (!calls_.empty()) {
      const std::function<void()> each = std::move(calls_.front());
      calls_.pop_front();
      lock.unlock();
      each();
      lock.lock();
    }
    if (stopping_) break;
    if (waiting_.empty()) continue;
    gather(lock);
    translate_batch(take_batch(), lock);
  }
  for (const auto& request : waiting_) {
    request->error = std::make_exception_ptr(NotInTime("the server is stopping"));
    request->changed.notify_all();
  }
  waiting_.clear();
}

void TranslationQueue::gather(std::unique_lock<std::mutex>& lock) {
  const double seconds = std::min(kLongestGathering, kGatheringShare * batch_seconds_);
  const auto end = batch_end_ + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  changed_.wait_until(lock, end, [&] {
    return stopping_ || !calls_.empty() || waiting_.size() >= answered_together_ ||
           counts_.waiting >= config_.most_together;
  });
}

// One sentence of each request in turn, so that a long text does not hold up short ones. Those that need the same as
// the first request does go together.
std::vector<TranslationQueue::Place> TranslationQueue::take_batch() {
  std::vector<Place> batch;
  if (waiting_.empty()) return batch;
  const TranslationJob& first = waiting_.front()->job;
  std::vector<std::shared_ptr<Waiting>> alike;
  for (const auto& request : waiting_) {
    if (request->job.translator == first.translator && request->job.needs == first.needs) alike.push_back(request);
  }
  for (bool is_taking = true; is_taking;) {
    is_taking = false;
    for (const auto& request : alike) {
      if (batch.size() == config_.most_together) break;
      if (request->begun == request->job.sentences.size()) continue;
      batch.push_back({request, request->begun++});
      is_taking = true;
    }
  }
  counts_.waiting -= batch.size();
  std::erase_if(waiting_, [](const auto& request) { return request->begun == request->job.sentences.size(); });
  // Requests of another kind, and the rest of long ones, have their turn next.
  std::stable_partition(waiting_.begin(), waiting_.end(), [&](const auto& request) {
    return std::find(alike.begin(), alike.end(), request) == alike.end();
  });
  return batch;
}

void TranslationQueue::translate_batch(const std::vector<Place>& batch, std::unique_lock<std::mutex>& lock) {
  if (batch.empty()) return;
  std::vector<std::string> sentences;
  for (const Place& place : batch) sentences.push_back(place.request->job.sentences[place.sentence]);
  const TranslationJob& first = batch.front().request->job;
  Results results;
  std::exception_ptr error;
  const Clock::time_point begin = Clock::now();
  lock.unlock();
  try {
    results = first.translator->translate(sentences, first.needs);
  } catch (...) {
    error = std::current_exception();
  }
  lock.lock();
  batch_end_ = Clock::now();
  batch_seconds_ = std::chrono::duration<double>(batch_end_ - begin).count();
  counts_.busy_seconds += batch_seconds_;
  ++counts_.batches;
  counts_.sentences += batch.size();
  answered_together_ = 0;
  for (size_t i = 0; i < batch.size(); ++i) {
    Waiting& request = *batch[i].request;
    if (error) {
      request.error = error;
    } else {
      counts_.tokens += results[i].front().pieces.size() + 1;
      request.results[batch[i].sentence] = std::move(results[i]);
      request.is_done[batch[i].sentence] = true;
    }
    answered_together_ += ++request.done == request.job.sentences.size() ? 1 : 0;
    request.changed.notify_all();
  }
}

}  // namespace verbund
