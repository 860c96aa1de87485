// How far is another's clock from the own one? Asked over the network, as NTP does: a question leaves at `sent` and the
// answer arrives at `arrived` on the own clock; the other read `received` and `replied` on its clock. If both ways took
// equally long, the middle of the former was the middle of the latter. They may not have, but the error is at most half
// of the time under way. That is a hard bound, and so the sample with the smallest one is the best.
//
// Clocks drift, so a sample's bound grows with its age until a newer one takes its place.
#pragma once

#include <limits>

namespace verbund {

struct ClockOffset {
  double offset = 0;                                       // what to add to the own clock, in seconds
  double bound = std::numeric_limits<double>::infinity();  // the error is at most that; infinite if nothing is known
};

struct ClockSample {
  double sent = 0, received = 0, replied = 0, arrived = 0;
};

class ClockEstimator {
 public:
  // Clocks of computers differ by some 50 millionths at worst, two of them by twice that.
  static constexpr double kDrift = 1e-4;  // seconds per second

  void add(const ClockSample& sample);
  // At this time of the own clock.
  ClockOffset at(double now) const;

 private:
  ClockOffset best_;  // as it was measured ...
  double when_ = 0;   // ... at this time
};

}  // namespace verbund
