// SPDX-License-Identifier: Apache-2.0
#include "control/rendezvous.h"

#include <random>

#include "control/joining.h"
#include "core/error.h"
#include "core/json.h"
#include "core/log.h"

namespace verbund {
namespace {

// The ports at which worker 0 listens for the others.
struct Reachable {
  std::vector<Socket> listening;
  std::vector<Endpoint> endpoints;
};

std::vector<IpAddress> addresses_for_others() {
  std::vector<IpAddress> addresses;
  for (const OwnAddress& own : own_addresses()) {
    if (own.is_for_others()) addresses.push_back(own.address);
  }
  return addresses;
}

// A worker's own place in the network, as JSON.
std::string describe_place() {
  Json place = {{"network", network_identity()}, {"addresses", Json::array()}};
  for (const IpAddress& address : addresses_for_others()) place["addresses"].push_back(address.text());
  return dump_json(place);
}

// The workers that worker 0 cannot reach over the loopback.
std::vector<RemoteWorker> find_remote(const std::vector<std::string>& places, const std::vector<Worker>& workers) {
  std::vector<RemoteWorker> remote;
  const std::string own = parse_json(places[0]).at("network");
  for (size_t rank = 1; rank < places.size(); ++rank) {
    const Json place = parse_json(places[rank]);
    if (!own.empty() && place.at("network") == own) continue;
    RemoteWorker worker{workers[rank].name(), {}};
    for (const std::string text : place.at("addresses")) {
      if (const std::optional<IpAddress> address = IpAddress::parse(text)) worker.addresses.push_back(*address);
    }
    remote.push_back(std::move(worker));
  }
  return remote;
}

Reachable listen_for(const std::vector<RemoteWorker>& remote, const std::string& self, const std::string& networks) {
  Reachable result;
  ListeningAddresses chosen = choose_listening_addresses(own_addresses(), networks, remote, source_towards);
  for (const IpAddress& address : chosen.addresses) {
    uint16_t port = 0;
    Socket listening = listen_at(address, port);
    if (!listening.is_open()) continue;  // the address may have gone meanwhile
    result.listening.push_back(std::move(listening));
    result.endpoints.push_back({address, port});
  }
  if (!result.listening.empty()) return result;

  if (chosen.why_everywhere.empty()) chosen.why_everywhere = "it cannot listen at the chosen address";
  warn(
      "{} listens at all addresses of its machine until the other workers have connected: {}. Name a network to limit "
      "it (launch --nic)",
      self, chosen.why_everywhere);
  uint16_t port = 0;
  result.listening.push_back(listen_everywhere(port));
  for (const IpAddress& address : addresses_for_others()) result.endpoints.push_back({address, port});
  return result;
}

std::string texts_of(const std::vector<Endpoint>& endpoints) {
  std::string text;
  for (const Endpoint& endpoint : endpoints) text += (text.empty() ? "" : ", ") + endpoint.text();
  return text;
}

std::string names_of(const std::vector<int>& ranks, const std::vector<Worker>& workers) {
  std::string text;
  for (const int rank : ranks) text += (text.empty() ? "" : ", ") + workers[static_cast<size_t>(rank)].name();
  return text;
}

Json to_json(const std::vector<Endpoint>& endpoints) {
  Json list = Json::array();
  for (const Endpoint& endpoint : endpoints) list.push_back({endpoint.address.text(), endpoint.port});
  return list;
}

std::vector<Endpoint> endpoints_of(const Json& list) {
  std::vector<Endpoint> endpoints;
  for (const auto& item : list) endpoints.push_back({*IpAddress::parse(item.at(0)), item.at(1)});
  return endpoints;
}

}  // namespace

// Worker 0 opens ports and broadcasts them with the run's number; each worker connects. Who did not is broadcast as
// well, so all workers fail together and name the missing ones.
ControlSockets open_control_sockets(Rendezvous& rendezvous, const std::vector<Worker>& workers,
                                    const std::string& networks) {
  const std::vector<std::string> places = rendezvous.gather(describe_place());
  const bool leads = rendezvous.rank() == 0;
  Reachable own;
  Json invitation;
  if (leads) {
    own = listen_for(find_remote(places, workers), workers[0].name(), networks);
    std::random_device random;
    invitation = {{"endpoints", to_json(own.endpoints)}, {"run", uint64_t{random()} << 32 | random()}};
  }
  invitation = parse_json(rendezvous.broadcast(dump_json(invitation)));
  const std::vector<Endpoint> endpoints = endpoints_of(invitation.at("endpoints"));

  ControlSockets sockets{invitation.at("run"), std::vector<Socket>(workers.size())};
  Heartbeat hello;
  hello.run = sockets.run;
  hello.kind = HeartbeatKind::kHello;
  hello.rank = rendezvous.rank();
  std::vector<int> missing;
  if (leads) {
    sockets.by_rank = await_workers(own.listening, workers.size(), hello);
    own.listening.clear();  // nobody can connect from here on
    for (size_t i = 1; i < workers.size(); ++i) {
      if (!sockets.by_rank[i].is_open()) missing.push_back(workers[i].rank);
    }
  } else {
    sockets.by_rank[0] = call_leader(endpoints, hello);
  }
  missing = parse_json(rendezvous.broadcast(dump_json(missing))).get<std::vector<int>>();
  if (missing.empty()) return sockets;
  tell_launch({WorkerEvent::kLost, missing[0]});
  throw Error(
      fmt::format("lost {} before the start: could not connect to {} at {}. Open all ports between the hosts, or "
                  "choose another network (launch --nic)",
                  names_of(missing, workers), workers[0].name(), texts_of(endpoints)),
      kExitLostWorker);
}

}  // namespace verbund
