// What `fail_errno` throws: the operating system refused something, and the errno tells what.
#pragma once

#include "core/error.h"

namespace verbund {

class SystemError : public Error {
 public:
  SystemError(const std::string& message, int number);  // the message gets what the system says of that errno

  int number() const { return number_; }

 private:
  int number_;
};

}  // namespace verbund
