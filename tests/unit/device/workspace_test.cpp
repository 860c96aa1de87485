// SPDX-License-Identifier: Apache-2.0
// Memory that is handed out by moving a pointer, and how much of it is taken.
#include "device/workspace.h"

#include <gtest/gtest.h>

#include "core/error.h"
#include "support/expect_error.h"
#include "support/on_cpu.h"

namespace verbund {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr int64_t kMegabyte = 1 << 20;

TEST(Workspace, GrowsByWhatIsNeededAndBecomesOneBlock) {
  Workspace workspace(cpu());
  workspace.take<char>(12 * kMegabyte);
  EXPECT_EQ(workspace.bytes(), 16U * kMegabyte);
  workspace.take<char>(12 * kMegabyte);
  EXPECT_EQ(workspace.bytes(), 32U * kMegabyte);
  workspace.reset();
  const uint64_t whole = workspace.bytes();
  EXPECT_GE(whole, 24U * kMegabyte);
  workspace.take<char>(24 * kMegabyte);
  EXPECT_EQ(workspace.bytes(), whole);
}

// Trials of batches that do not fit fail again and again.
TEST(Workspace, WhatCouldNotBeHadDoesNotCount) {
  Workspace workspace(cpu());
  workspace.take<char>(12 * kMegabyte);
  for (int i = 0; i < 10; ++i) EXPECT_THROW(workspace.take<char>(int64_t{1} << 60), Error);
  EXPECT_EQ(workspace.bytes(), 16U * kMegabyte);
  workspace.take<char>(12 * kMegabyte);
  EXPECT_EQ(workspace.bytes(), 32U * kMegabyte);
}

TEST(MemoryAdvice, NamesTheKeysThatShrinkWhatIsMissing) {
  EXPECT_ERROR(cpu().allocate(size_t{1} << 60, "activations"), Error, HasSubstr("batch.tokens"));
  EXPECT_ERROR(cpu().allocate(size_t{1} << 60, "the kv cache"), Error, HasSubstr("decode.beam"));
  for (const char* purpose : {"weights", "gradients", "averaged weights"}) {
    EXPECT_ERROR(cpu().allocate(size_t{1} << 60, purpose), Error, HasSubstr(purpose), HasSubstr("model.d_model"),
                 Not(HasSubstr("batch.tokens")));
  }
}

}  // namespace
}  // namespace verbund
