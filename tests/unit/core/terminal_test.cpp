// SPDX-License-Identifier: Apache-2.0
#include "core/terminal.h"

#include <gtest/gtest.h>

namespace verbund {
namespace {

Terminal at_terminal(const char* term, const char* no_color = nullptr) { return terminal_for(true, {term, no_color}); }
Terminal at_pipe(const char* told, const char* no_color = nullptr) {
  return terminal_for(false, {"xterm", no_color, told});
}

TEST(Terminal, DrawsAndColours) {
  EXPECT_EQ(at_terminal("xterm").status_line, StatusLine::kDrawn);
  EXPECT_TRUE(at_terminal("xterm").colour);
}

TEST(Terminal, ADumbOneGetsPlainLines) {
  for (const char* term : {"dumb", "", static_cast<const char*>(nullptr)}) {
    EXPECT_EQ(at_terminal(term).status_line, StatusLine::kNone);
    EXPECT_FALSE(at_terminal(term).colour);
  }
}

TEST(Terminal, NoColorMeansNone) {
  EXPECT_FALSE(at_terminal("xterm", "1").colour);
  EXPECT_EQ(at_terminal("xterm", "1").status_line, StatusLine::kDrawn);
  EXPECT_TRUE(at_terminal("xterm", "").colour) << "set, but empty";
}

TEST(Terminal, APipeGetsPlainLinesUnlessLaunchWantsMore) {
  EXPECT_EQ(at_pipe(nullptr).status_line, StatusLine::kNone);
  EXPECT_FALSE(at_pipe(nullptr).colour);
  EXPECT_EQ(at_pipe("something else").status_line, StatusLine::kNone);
}

TEST(Terminal, AWorkerIsToldOfLaunchsTerminal) {
  for (const bool colour : {false, true}) {
    const std::string told = describe_for_workers({StatusLine::kDrawn, colour});
    EXPECT_EQ(at_pipe(told.c_str()).status_line, StatusLine::kMarked);
    EXPECT_EQ(at_pipe(told.c_str()).colour, colour);
    EXPECT_FALSE(at_pipe(told.c_str(), "1").colour);
    EXPECT_EQ(terminal_for(true, {"xterm", nullptr, told.c_str()}).status_line, StatusLine::kDrawn);
  }
}

TEST(Terminal, WhatLaunchReadsTakesRecords) {
  const Terminal without = {};
  const Terminal with = {StatusLine::kDrawn, true};
  for (const Terminal& launchs : {without, with}) {
    const std::string told = describe_for_workers(launchs);
    EXPECT_TRUE(at_pipe(told.c_str()).takes_records);
  }
  EXPECT_EQ(at_pipe(describe_for_workers(without).c_str()).status_line, StatusLine::kNone);
  EXPECT_FALSE(at_pipe(nullptr).takes_records);
  EXPECT_FALSE(at_pipe("records2").takes_records);
  EXPECT_FALSE(at_terminal("xterm").takes_records);
}

TEST(Terminal, ColoursOnlyWhereAllowed) {
  EXPECT_EQ(coloured("ok", Colour::kGreen, true), "\033[32mok\033[0m");
  EXPECT_EQ(coloured("ok", Colour::kGreen, false), "ok");
  EXPECT_EQ(coloured("ok", Colour::kNone, true), "ok");
}

}  // namespace
}  // namespace verbund
