// SPDX-License-Identifier: Apache-2.0
// MadeTranslator is a translator whose translations are the sentences in upper case. It can be held at its first batch.
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "core/error.h"
#include "serve/translation_queue.h"

namespace verbund {

inline std::string upper_case(std::string text) {
  for (char& c : text) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return text;
}

class MadeTranslator : public SentenceTranslator {
 public:
  explicit MadeTranslator(bool is_held = false) : is_held_(is_held) {}

  // The words keep their order and are aligned with themselves. The n-th best has n - 1 exclamation marks. "fail"
  // fails.
  std::vector<std::vector<Translation>> translate(const std::vector<std::string>& sentences,
                                                  const TranslationNeeds& needs) const override {
    {
      std::unique_lock lock(mutex_);
      for (const std::string& sentence : sentences) batch_of_[sentence] = batches_.size();
      batches_.push_back(sentences.size());
      changed_.notify_all();
      changed_.wait(lock, [&] { return !is_held_; });
    }
    std::vector<std::vector<Translation>> results;
    for (const std::string& sentence : sentences) {
      if (sentence == "fail") fail("the made translator fails");
      results.emplace_back();
      for (int64_t rank = 0; rank < needs.nbest; ++rank) {
        Translation translation;
        translation.text = upper_case(sentence) + std::string(static_cast<size_t>(rank), '!');
        translation.pieces = {"▁" + translation.text};
        results.back().push_back(translation);
      }
    }
    return results;
  }

  void await_batch() const {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !batches_.empty(); });
  }
  void release() {
    const std::lock_guard lock(mutex_);
    is_held_ = false;
    changed_.notify_all();
  }
  std::vector<size_t> batches() const {  // the number of sentences of each
    const std::lock_guard lock(mutex_);
    return batches_;
  }
  size_t batch_of(const std::string& sentence) const {  // the last one that had it, from 0
    const std::lock_guard lock(mutex_);
    return batch_of_.at(sentence);
  }
  size_t most_together() const {
    size_t most = 0;
    for (const size_t size : batches()) most = std::max(most, size);
    return most;
  }

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  mutable std::vector<size_t> batches_;
  mutable std::map<std::string, size_t> batch_of_;
  bool is_held_;
};

}  // namespace verbund
