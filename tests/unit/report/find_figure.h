// A figure of a verdict by its name; the test fails without it.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "report/verdict.h"

namespace verbund {

inline Figure find_figure(const Verdict& verdict, const std::string& name) {
  const auto found = std::find_if(verdict.figures.begin(), verdict.figures.end(),
                                  [&](const Figure& figure) { return figure.name == name; });
  if (found != verdict.figures.end()) return *found;
  ADD_FAILURE() << verdict.id << " has no figure " << name;
  return {};
}

}  // namespace verbund
