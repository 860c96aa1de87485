// Rendezvous lets all ranks exchange short texts: what opening control connections needs of a communicator.
#pragma once

#include <string>
#include <vector>

namespace verbund {

class Rendezvous {
 public:
  virtual ~Rendezvous() = default;

  virtual int rank() const = 0;
  // The text of every rank, by rank.
  virtual std::vector<std::string> gather(const std::string& own) = 0;
  // The text of rank 0.
  virtual std::string broadcast(const std::string& text) = 0;
};

}  // namespace verbund
