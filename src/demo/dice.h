// Small random choices for the samplers of the demo corpus.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>
#include <vector>

#include "core/random.h"

namespace verbund::demo {

class Dice {
 public:
  explicit Dice(Random& random) : random_(random) {}

  bool chance(int percent) { return random_.below(100) < static_cast<uint64_t>(percent); }

  int between(int first, int last) { return first + static_cast<int>(random_.below(last - first + 1)); }

  template <typename T>
  const T& pick(std::span<const T> from) {
    return from[random_.below(from.size())];
  }

  template <typename T, size_t size>
  const T& pick(const T (&from)[size]) {
    return from[random_.below(size)];
  }

  template <typename T>
  T pick(std::initializer_list<T> from) {
    return from.begin()[random_.below(from.size())];
  }

  // One of the entries for which `is_wanted` holds, or nullptr.
  template <typename T, typename Test>
  const T* pick_where(std::span<const T> from, Test is_wanted) {
    candidates_.clear();
    for (const T& entry : from) {
      if (is_wanted(entry)) candidates_.push_back(&entry);
    }
    if (candidates_.empty()) return nullptr;
    return static_cast<const T*>(candidates_[random_.below(candidates_.size())]);
  }

  // One of the choices, each as likely as its weight says.
  template <typename T>
  struct Weighted {
    int weight;
    T choice;
  };
  template <typename T>
  T weighted(std::initializer_list<Weighted<T>> choices) {
    uint64_t total = 0;
    for (const auto& entry : choices) total += entry.weight;
    uint64_t point = random_.below(total);
    for (const auto& entry : choices) {
      if (point < static_cast<uint64_t>(entry.weight)) return entry.choice;
      point -= entry.weight;
    }
    return choices.begin()->choice;  // not reached
  }

 private:
  Random& random_;
  std::vector<const void*> candidates_;
};

}  // namespace verbund::demo
