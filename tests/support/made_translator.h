// SPDX-License-Identifier: Apache-2.0
// MadeTranslator is a translator whose translations are the sentences in upper case. It can be held at its first step.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <limits>
#include <map>
#include <mutex>
#include <string>
#include <utility>
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

  // The words keep their order and are aligned with themselves; a sentence takes a step for each. The n-th best has
  // n - 1 exclamation marks. "fail" fails; "endless" is never done.
  std::unique_ptr<OngoingTranslation> begin() const override { return std::make_unique<Ongoing>(*this); }

  void await_batch() const {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !batches_.empty(); });
  }
  void release() {
    const std::lock_guard lock(mutex_);
    is_held_ = false;
    changed_.notify_all();
  }
  std::vector<size_t> batches() const {  // the number of sentences that joined together, each time some did
    const std::lock_guard lock(mutex_);
    return batches_;
  }
  size_t batch_of(const std::string& sentence) const {  // that it joined with, from 0
    const std::lock_guard lock(mutex_);
    return batch_of_.at(sentence);
  }
  size_t max_together() const {  // sentences under way
    const std::lock_guard lock(mutex_);
    return max_together_;
  }

 private:
  struct Open {
    size_t number;
    std::string sentence;
    TranslationNeeds needs;
    size_t steps;
  };

  class Ongoing final : public OngoingTranslation {
   public:
    explicit Ongoing(const MadeTranslator& translator) : translator_(translator) {}

    bool has_room() const override { return true; }

    size_t add(const std::string& text, const TranslationNeeds& needs) override {
      const auto words = static_cast<size_t>(1 + std::count(text.begin(), text.end(), ' '));
      open_.push_back({added_, text, needs, text == "endless" ? std::numeric_limits<size_t>::max() : words});
      joining_.push_back(text);
      return added_++;
    }

    std::vector<Done> step() override {
      translator_.take(std::exchange(joining_, {}), open_.size());
      std::vector<Done> done;
      for (Open& open : open_) {
        if (open.sentence == "fail") fail("the made translator fails");
        if (--open.steps == 0) done.push_back({open.number, translations_of(open)});
      }
      std::erase_if(open_, [](const Open& open) { return open.steps == 0; });
      return done;
    }

   private:
    const MadeTranslator& translator_;
    size_t added_ = 0;
    std::vector<Open> open_;
    std::vector<std::string> joining_;
  };

  static std::vector<Translation> translations_of(const Open& open) {
    std::vector<Translation> translations;
    for (int64_t rank = 0; rank < open.needs.nbest; ++rank) {
      Translation translation;
      translation.text = upper_case(open.sentence) + std::string(static_cast<size_t>(rank), '!');
      translation.pieces = {"▁" + translation.text};
      translations.push_back(translation);
    }
    return translations;
  }

  void take(const std::vector<std::string>& joining, size_t open) const {
    std::unique_lock lock(mutex_);
    for (const std::string& sentence : joining) batch_of_[sentence] = batches_.size();
    if (!joining.empty()) batches_.push_back(joining.size());
    max_together_ = std::max(max_together_, open);
    changed_.notify_all();
    changed_.wait(lock, [&] { return !is_held_; });
  }

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  mutable std::vector<size_t> batches_;
  mutable std::map<std::string, size_t> batch_of_;
  mutable size_t max_together_ = 0;
  bool is_held_;
};

}  // namespace verbund
