#include "comm/control_sockets.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include "comm/joining.h"
#include "core/error.h"

namespace verbund {

// Worker 0 opens a port and tells all where, and a number by which it knows them; each worker calls. That it could is
// compared, so that all fail together, and name who could not.
ControlSockets open_control_sockets(Communicator& communicator, const std::vector<Worker>& workers) {
  const auto rank = static_cast<size_t>(communicator.rank());
  const std::vector<std::string> networks = communicator.gather(network_identity());
  const auto is_near = [&](const std::string& network) { return !network.empty() && network == networks[0]; };
  Socket listening;
  nlohmann::json meeting;
  if (rank == 0) {
    uint16_t port = 0;
    listening = listen_anywhere(port, std::all_of(networks.begin(), networks.end(), is_near));
    std::random_device random;
    meeting = {{"port", port}, {"addresses", own_addresses()}, {"run", uint64_t{random()} << 32 | random()}};
  }
  meeting = nlohmann::json::parse(communicator.broadcast(meeting.dump()));
  const auto port = meeting.at("port").get<uint16_t>();
  const auto addresses = meeting.at("addresses").get<std::vector<std::string>>();

  ControlSockets sockets{meeting.at("run"), std::vector<Socket>(workers.size())};
  Pulse hello;
  hello.run = sockets.run;
  hello.kind = PulseKind::kHello;
  hello.rank = communicator.rank();
  std::vector<std::string> missing;
  if (rank == 0) {
    sockets.by_rank = await_workers(listening, workers.size(), hello);
    for (size_t i = 1; i < workers.size(); ++i) {
      if (!sockets.by_rank[i].is_open()) missing.push_back(workers[i].name());
    }
  } else {
    sockets.by_rank[0] =
        call_leader(is_near(networks[rank]) ? std::vector<std::string>{"127.0.0.1"} : addresses, port, hello);
  }
  missing = nlohmann::json::parse(communicator.broadcast(nlohmann::json(missing).dump()));
  if (missing.empty()) return sockets;
  throw Error(fmt::format("lost {} before the start: not come to {} at {}, port {}. Open all ports between the "
                          "hosts, or choose another network (launch --nic)",
                          fmt::join(missing, ", "), workers[0].name(), fmt::join(addresses, ", "), port),
              kExitLostWorker);
}

}  // namespace verbund
