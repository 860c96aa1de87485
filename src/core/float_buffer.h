// A large array of floats, zero at first: aligned to pages, on huge ones where the system has
// them, and touched only by the threads that work on it.
#pragma once

#include <cstddef>
#include <span>
#include <utility>

namespace verbund {

class FloatBuffer {
 public:
  explicit FloatBuffer(size_t size);
  ~FloatBuffer();
  FloatBuffer(FloatBuffer&& other) noexcept
      : size_(std::exchange(other.size_, 0)), data_(std::exchange(other.data_, nullptr)) {}
  FloatBuffer& operator=(FloatBuffer&&) = delete;

  float* data() { return data_; }
  size_t size() const { return size_; }
  std::span<float> values() { return {data_, size_}; }
  std::span<const float> values() const { return {data_, size_}; }

 private:
  size_t size_;
  float* data_ = nullptr;
};

}  // namespace verbund
