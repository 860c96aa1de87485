// What the watch has to tell: somebody is waited for, all go on, or all end.
#pragma once

#include <functional>
#include <string>

namespace verbund {

struct WatchdogEvent {
  enum class Kind {
    kStall,   // somebody has been waited for, longer than is well
    kGoesOn,  // nobody is any more
    kLost,    // a worker has died, does not answer, or has been waited for too long
    kFailed,  // a worker has said why it cannot go on
  };
  Kind kind = Kind::kStall;
  int worker = -1;  // the rank of whom it is about; -1: of nobody alone
  std::string message;
  bool last = false;  // the process ends after this

  // Its name in the run's history.
  const char* event() const {
    return kind == Kind::kStall    ? "stall"
           : kind == Kind::kGoesOn ? "goes_on"
           : kind == Kind::kLost   ? "lost_worker"
                                   : "fail";
  }
};

using WatchdogLog = std::function<void(const WatchdogEvent& notice)>;

}  // namespace verbund
