// The addresses of this machine, and which interface each belongs to.
#pragma once

#include <string>
#include <vector>

#include "core/ip_address.h"

namespace verbund {

struct OwnAddress {
  std::string interface;  // "eth1"
  IpAddress address;
  bool is_up = true;
  bool is_loopback = false;  // the interface

  // Others can send to it: it is up, not the loopback's, and needs no interface named beside it.
  bool is_for_others() const;
};

// Of both versions, in the system's order; none if it does not tell.
std::vector<OwnAddress> own_addresses();

}  // namespace verbund
