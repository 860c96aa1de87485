// SPDX-License-Identifier: Apache-2.0
// Buffers are lent again when nobody holds them, and only then.
#include "device/buffer_pool.h"

#include <gtest/gtest.h>

#include "support/on_cpu.h"

namespace verbund {
namespace {

TEST(BufferPool, LendsWhatIsFreeAgain) {
  BufferPool pool(cpu(), "a test");
  auto small = pool.take_bytes(100), large = pool.take_bytes(1000);
  EXPECT_EQ(small->size(), 25u);
  const float *at_small = small->data(), *at_large = large->data();
  EXPECT_NE(at_small, at_large);
  small.reset();
  large.reset();
  const auto first = pool.take_bytes(99);
  EXPECT_EQ(first->data(), at_small) << "the smallest that suffices";
  const auto second = pool.take_bytes(99);
  EXPECT_EQ(second->data(), at_large);
  EXPECT_NE(pool.take_bytes(99)->data(), at_small) << "somebody holds it";
}

TEST(BufferPool, KeepsNothingThatIsTooSmall) {
  BufferPool pool(cpu(), "a test");
  const std::weak_ptr<const Buffer> small = pool.take_bytes(100);
  EXPECT_FALSE(small.expired()) << "to be lent again";
  const auto held = pool.take_bytes(60), large = pool.take_bytes(101);
  EXPECT_FALSE(small.expired()) << "it is held";
  EXPECT_EQ(large->size(), 26u);
  const std::weak_ptr<const Buffer> free = pool.take_bytes(40);
  pool.take_bytes(4000);
  EXPECT_TRUE(free.expired());
}

}  // namespace
}  // namespace verbund
