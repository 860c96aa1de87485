// A device has no room for what was asked for; what it had before, it still has.
#pragma once

#include "core/error.h"

namespace verbund {

class OutOfMemory : public Error {
 public:
  using Error::Error;
};

}  // namespace verbund
