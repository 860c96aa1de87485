// SPDX-License-Identifier: Apache-2.0
#include "serve/translation_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <future>

#include "core/interrupt.h"

namespace verbund {
namespace {

// Few sentences that wait while others are under way are not encoded one by one, but when there are so many of them, or
// after so many tokens.
constexpr size_t kEncodedTogether = 3;
constexpr size_t kTokensToGather = 2;

}  // namespace

QueueFull::QueueFull(size_t waiting, double seconds)
    : Error(fmt::format("the queue is full ({} sentences): retry in {:.0f} s", waiting, std::max(1.0, seconds))),
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
  if (counts_.waiting > 0 && counts_.waiting + count > config_.max_waiting) {
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
    changed_.wait(lock, [&] { return stopping_ || !waiting_.empty() || !calls_.empty() || !courses_.empty(); });
    while (!calls_.empty()) {
      const std::function<void()> each = std::move(calls_.front());
      calls_.pop_front();
      lock.unlock();
      each();
      lock.lock();
    }
    if (stopping_) break;
    join_waiting();
    for (Course& course : courses_) step(course, lock);
    end_courses(lock);
  }
  const auto error = std::make_exception_ptr(NotInTime("the server is stopping"));
  for (const Course& course : courses_) {
    for (const auto& [number, place] : course.places) give_up(*place.request, error);
  }
  for (const auto& request : waiting_) give_up(*request, error);
  waiting_.clear();
  lock.unlock();
  courses_.clear();
}

// Whoever lets go of a model last may post its end, and must not hold the mutex.
void TranslationQueue::end_courses(std::unique_lock<std::mutex>& lock) {
  std::vector<Course> ended;
  for (Course& course : courses_) {
    if (course.places.empty()) ended.push_back(std::move(course));
  }
  if (ended.empty()) return;
  std::erase_if(courses_, [](const Course& course) { return course.translator == nullptr; });
  lock.unlock();
  ended.clear();
  lock.lock();
}

// One sentence of each request in turn, so that a long text does not hold up short ones. The next time, the turn goes
// on where it stopped.
void TranslationQueue::join_waiting() {
  if (!courses_.empty() && counts_.waiting < kEncodedTogether && gathered_for_++ < kTokensToGather) return;
  gathered_for_ = 0;
  for (size_t passed = 0; passed < waiting_.size();) {
    const std::shared_ptr<Waiting> request = waiting_.front();
    waiting_.pop_front();
    passed = join(request) ? 0 : passed + 1;
    if (request->begun < request->job.sentences.size()) waiting_.push_back(request);
  }
}

// False if there is no room.
bool TranslationQueue::join(const std::shared_ptr<Waiting>& request) {
  const TranslationJob& job = request->job;
  auto course = std::find_if(courses_.begin(), courses_.end(),
                             [&](const Course& each) { return each.translator == job.translator; });
  if (course != courses_.end()) {
    if (course->places.size() >= config_.max_together || !course->ongoing->has_room()) return false;
  }
  --counts_.waiting;
  const size_t sentence = request->begun++;
  try {
    if (course == courses_.end()) course = courses_.insert(course, {job.translator, job.translator->begin(), {}});
    course->places[course->ongoing->add(job.sentences[sentence], job.needs)] = {request, sentence};
  } catch (...) {
    give_up(*request, std::current_exception());
  }
  return true;
}

void TranslationQueue::step(Course& course, std::unique_lock<std::mutex>& lock) {
  if (course.places.empty()) return;
  std::vector<OngoingTranslation::Done> done;
  std::exception_ptr error;
  const Clock::time_point begin = Clock::now();
  lock.unlock();
  try {
    done = course.ongoing->step();
  } catch (...) {
    error = std::current_exception();
  }
  lock.lock();
  counts_.busy_seconds += std::chrono::duration<double>(Clock::now() - begin).count();
  ++counts_.steps;
  counts_.sentence_steps += course.places.size();
  for (OngoingTranslation::Done& each : done) {
    finish(course.places.at(each.number), std::move(each.translations));
    course.places.erase(each.number);
  }
  if (!error) return;
  for (const auto& [number, place] : course.places) give_up(*place.request, error);
  course.places.clear();
}

void TranslationQueue::finish(const Place& place, std::vector<Translation> translations) {
  ++counts_.sentences;
  counts_.tokens += translations.front().pieces.size() + 1;
  place.request->results[place.sentence] = std::move(translations);
  place.request->is_done[place.sentence] = true;
  place.request->changed.notify_all();
}

void TranslationQueue::give_up(Waiting& request, const std::exception_ptr& error) {
  request.error = error;
  request.changed.notify_all();
}

}  // namespace verbund
