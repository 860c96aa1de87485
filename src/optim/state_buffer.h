// Memory for one value per weight, zero at first: on huge pages where the system has
// them, and first touched by the threads that will work on it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

namespace verbund {

class StateBuffer {
 public:
  explicit StateBuffer(size_t size);

  std::span<float> values() { return {data_.get(), size_}; }
  std::span<const float> values() const { return {data_.get(), size_}; }
  float* data() { return data_.get(); }
  size_t size() const { return size_; }

 private:
  struct Free {
    void operator()(float* data) const;
  };

  std::unique_ptr<float[], Free> data_;
  size_t size_;
};

}  // namespace verbund
