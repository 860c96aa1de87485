// SPDX-License-Identifier: Apache-2.0
#include "core/user.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <string>

namespace verbund {
namespace {

// Sets a variable of the environment, or removes it, while this lives.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = ::getenv(name)) before_ = before;
    set(value);
  }
  ~Variable() { set(before_ ? before_->c_str() : nullptr); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const char* value) { value == nullptr ? ::unsetenv(name_) : ::setenv(name_, value, 1); }

  const char* name_;
  std::optional<std::string> before_;
};

TEST(CacheFolder, IsWhereTheEnvironmentSays) {
  const Variable home("HOME", "/home/someone");
  {
    const Variable cache("XDG_CACHE_HOME", "/var/cache/someone");
    EXPECT_EQ(user_cache_folder(), "/var/cache/someone/verbund");
  }
  for (const char* none : {static_cast<const char*>(nullptr), ""}) {
    const Variable cache("XDG_CACHE_HOME", none);
    EXPECT_EQ(user_cache_folder(), "/home/someone/.cache/verbund");
  }
}

TEST(CacheFolder, OfAUserWithoutAHomeIsNowhere) {
  const Variable home("HOME", nullptr), cache("XDG_CACHE_HOME", nullptr);
  EXPECT_EQ(user_cache_folder(), std::nullopt);
}

}  // namespace
}  // namespace verbund
