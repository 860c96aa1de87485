// SPDX-License-Identifier: Apache-2.0
// EXPECT_ERROR(statement, type, matchers...) expects an error of this type whose message has these values.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <initializer_list>

#include "core/error.h"

namespace verbund {

// One function for all statements and matchers: gmock's ThrowsMessage would be compiled again for each of them.
template <typename Type>
testing::AssertionResult fails_with(const std::function<void()>& statement,
                                    std::initializer_list<testing::Matcher<const std::string&>> expected) {
  try {
    statement();
  } catch (const Type& error) {
    const std::string message = error.what();
    for (const auto& matcher : expected) {
      testing::StringMatchResultListener why;
      if (testing::ExplainMatchResult(matcher, message, &why)) continue;
      return testing::AssertionFailure() << "the message is \"" << message << "\"; expected one that "
                                         << testing::DescribeMatcher<const std::string&>(matcher) << " " << why.str();
    }
    return testing::AssertionSuccess();
  } catch (const std::exception& error) {
    return testing::AssertionFailure() << "an error of another type: " << error.what();
  }
  return testing::AssertionFailure() << "there was no error";
}

}  // namespace verbund

#define EXPECT_ERROR(statement, Type, ...) EXPECT_TRUE(::verbund::fails_with<Type>([&] { statement; }, {__VA_ARGS__}))
