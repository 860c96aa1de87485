// SPDX-License-Identifier: Apache-2.0
// TranslationQueue translates sentences of many requests together. One thread goes from token to token; between two
// tokens, sentences that wait join those under way, of each request in turn, and finished ones leave. Requests are
// refused when too much waits, and given up when their deadline passes.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "core/error.h"
#include "decode/ongoing_translation.h"

namespace verbund {

class SentenceTranslator {
 public:
  virtual ~SentenceTranslator() = default;
  // One at a time; used by the queue's thread alone.
  virtual std::unique_ptr<OngoingTranslation> begin() const = 0;
};

struct TranslationJob {
  std::shared_ptr<const SentenceTranslator> translator;
  TranslationNeeds needs;
  std::vector<std::string> sentences;
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
};

// Too much waits already.
class QueueFull : public Error {
 public:
  QueueFull(size_t waiting, double seconds);
  double seconds() const { return seconds_; }  // until there is room again, as an estimate

 private:
  double seconds_;
};

// The deadline passed, or the queue was stopped.
class NotInTime : public Error {
 public:
  using Error::Error;
};

struct QueueConfig {
  size_t max_waiting = 2000;  // sentences
  size_t max_together = 64;   // sentences under way with one translator
};

struct QueueCounts {
  uint64_t waiting = 0, sentences = 0, tokens = 0, refused = 0, late = 0;
  // Tokens that the thread went on by, and the sum of the sentences that were under way with each.
  uint64_t steps = 0, sentence_steps = 0;
  double busy_seconds = 0;
};

class TranslationQueue {
 public:
  using Results = std::vector<std::vector<Translation>>;
  // Told each result in the order of the sentences, by the thread that asked; false: the rest is not wanted.
  using TellResult = std::function<bool(size_t sentence, const std::vector<Translation>& translations)>;

  explicit TranslationQueue(const QueueConfig& config);
  // Gives up what waits.
  ~TranslationQueue();
  TranslationQueue(const TranslationQueue&) = delete;
  TranslationQueue& operator=(const TranslationQueue&) = delete;

  // Ticket is a request in the queue; it leaves when the ticket is destroyed.
  class Ticket;
  // Fails with QueueFull, or with NotInTime if the queue stops.
  std::shared_ptr<Ticket> submit(TranslationJob job);
  // Waits for the translations. Fails with NotInTime, or as the translator did.
  Results await(Ticket& ticket, const TellResult& tell = {});
  Results translate(TranslationJob job) { return await(*submit(std::move(job))); }

  // Runs something in the thread that translates, between two tokens, and waits for it. Fails as it does.
  void call(const std::function<void()>& work);
  // The same without waiting; it must not fail.
  void post(std::function<void()> work);

  QueueCounts counts() const;

 private:
  using Clock = std::chrono::steady_clock;
  struct Waiting {
    TranslationJob job;
    Results results;
    std::vector<bool> is_done;
    size_t begun = 0;  // sentences
    std::exception_ptr error;
    std::condition_variable changed;
  };
  friend class Ticket;
  struct Place {
    std::shared_ptr<Waiting> request;
    size_t sentence;
  };

  // The sentences under way with one translator.
  struct Course {
    std::shared_ptr<const SentenceTranslator> translator;
    std::unique_ptr<OngoingTranslation> ongoing;
    std::map<size_t, Place> places;  // by the numbers that `ongoing` gave
  };

  void work();
  void join_waiting();
  bool join(const std::shared_ptr<Waiting>& request);
  void step(Course& course, std::unique_lock<std::mutex>& lock);
  void end_courses(std::unique_lock<std::mutex>& lock);
  void finish(const Place& place, std::vector<Translation> translations);
  static void give_up(Waiting& request, const std::exception_ptr& error);
  void leave(const std::shared_ptr<Waiting>& request);
  double seconds_until_room() const;

  const QueueConfig config_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::shared_ptr<Waiting>> waiting_;  // requests with sentences that are not begun
  std::deque<std::function<void()>> calls_;
  QueueCounts counts_;
  std::vector<Course> courses_;  // of the queue's thread alone
  size_t gathered_for_ = 0;      // tokens since sentences last joined
  bool stopping_ = false;
  std::thread thread_;
};

class TranslationQueue::Ticket {
 public:
  Ticket(TranslationQueue& queue, std::shared_ptr<Waiting> request) : queue_(queue), request_(std::move(request)) {}
  ~Ticket();
  Ticket(const Ticket&) = delete;
  Ticket& operator=(const Ticket&) = delete;

 private:
  friend class TranslationQueue;
  TranslationQueue& queue_;
  std::shared_ptr<Waiting> request_;
};

}  // namespace verbund
