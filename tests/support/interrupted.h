// EXPECT_HEARS_CTRL_C(statement): in a process of its own, in which SIGINT has arrived, the statement does not come to
// its end.
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
