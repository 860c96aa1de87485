// SPDX-License-Identifier: Apache-2.0
// EXPECT_ERROR(statement, type, matchers...) expects an error of this type whose message has these values.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

#define EXPECT_ERROR(statement, Type, ...) \
  EXPECT_THAT([&] { statement; }, ::testing::ThrowsMessage<Type>(::testing::AllOf(__VA_ARGS__)))
