// EXPECT_ERROR(statement, type, "part of the message"): that the right error is thrown and
// says the right thing.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/error.h"

#define EXPECT_ERROR(statement, Type, ...) \
  EXPECT_THAT([&] { statement; }, ::testing::ThrowsMessage<Type>(::testing::AllOf(__VA_ARGS__)))
