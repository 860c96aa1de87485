// SPDX-License-Identifier: Apache-2.0
// EXPECT_HEARS_CTRL_C(statement) expects that the statement is interrupted, in a process of its own that has received
// SIGINT.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>

#include "core/error.h"
#include "core/interrupt.h"

#define EXPECT_HEARS_CTRL_C(...)                  \
  EXPECT_EXIT(                                    \
      {                                           \
        ::verbund::install_signal_handlers();     \
        std::raise(SIGINT);                       \
        try {                                     \
          __VA_ARGS__;                            \
        } catch (const ::verbund::Interrupted&) { \
          _exit(128 + SIGINT);                    \
        }                                         \
        _exit(0);                                 \
      },                                          \
      ::testing::ExitedWithCode(128 + SIGINT), "")
