#include "control/control_sockets.h"

#include <nlohmann/json.hpp>
#include <random>

#include "control/joining.h"
#include "core/error.h"
#include "core/log.h"

namespace verbund {
namespace {

// Where worker 0 waits for the others.
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

// What a worker tells of its place in the network.
std::string describe_place() {
  nlohmann::json place = {{"network", network_identity()}, {"addresses", nlohmann::json::array()}};
  for (const IpAddress& address : addresses_for_others()) place["addresses"].push_back(address.text());
  return place.dump();
}

// Those that the loopback does not lead to.
std::vector<RemoteWorker> find_remote(const std::vector<std::string>& places, const std::vector<Worker>& workers) {
  std::vector<RemoteWorker> remote;
  const std::string own = nlohmann::json::parse(places[0]).at("network");
  for (size_t rank = 1; rank < places.size(); ++rank) {
    const nlohmann::json place = nlohmann::json::parse(places[rank]);
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
    if (!listening.is_open()) continue;  // it may have gone meanwhile
    result.listening.push_back(std::move(listening));
    result.endpoints.push_back({address, port});
  }
  if (!result.listening.empty()) return result;

  if (chosen.why_everywhere.empty()) chosen.why_everywhere = "it cannot listen at the one that was chosen";
  warn(
      "{} listens for the others at all addresses of its machine, until they have come: {}. Name a network to have it "
      "listen there alone (launch --nic)",
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

nlohmann::json to_json(const std::vector<Endpoint>& endpoints) {
  nlohmann::json list = nlohmann::json::array();
  for (const Endpoint& endpoint : endpoints) list.push_back({endpoint.address.text(), endpoint.port});
  return list;
}

std::vector<Endpoint> endpoints_of(const nlohmann::json& list) {
  std::vector<Endpoint> endpoints;
  for (const auto& item : list) endpoints.push_back({*IpAddress::parse(item.at(0)), item.at(1)});
  return endpoints;
}

}  // namespace

// Worker 0 opens ports and tells all where, and a number by which it knows them; each worker calls. That it could is
// compared, so that all fail together, and name who could not.
ControlSockets open_control_sockets(Rendezvous& rendezvous, const std::vector<Worker>& workers,
                                    const std::string& networks) {
  const std::vector<std::string> places = rendezvous.gather(describe_place());
  const bool leads = rendezvous.rank() == 0;
  Reachable own;
  nlohmann::json meeting;
  if (leads) {
    own = listen_for(find_remote(places, workers), workers[0].name(), networks);
    std::random_device random;
    meeting = {{"endpoints", to_json(own.endpoints)}, {"run", uint64_t{random()} << 32 | random()}};
  }
  meeting = nlohmann::json::parse(rendezvous.broadcast(meeting.dump()));
  const std::vector<Endpoint> endpoints = endpoints_of(meeting.at("endpoints"));

  ControlSockets sockets{meeting.at("run"), std::vector<Socket>(workers.size())};
  Heartbeat hello;
  hello.run = sockets.run;
  hello.kind = HeartbeatKind::kHello;
  hello.rank = rendezvous.rank();
  std::vector<int> missing;
  if (leads) {
    sockets.by_rank = await_workers(own.listening, workers.size(), hello);
    own.listening.clear();  // from here on nobody can call
    for (size_t i = 1; i < workers.size(); ++i) {
      if (!sockets.by_rank[i].is_open()) missing.push_back(workers[i].rank);
    }
  } else {
    sockets.by_rank[0] = call_leader(endpoints, hello);
  }
  missing = nlohmann::json::parse(rendezvous.broadcast(nlohmann::json(missing).dump())).get<std::vector<int>>();
  if (missing.empty()) return sockets;
  tell_launch({missing[0]});
  throw Error(fmt::format("lost {} before the start: not come to {} at {}. Open all ports between the hosts, or choose "
                          "another network (launch --nic)",
                          names_of(missing, workers), workers[0].name(), texts_of(endpoints)),
              kExitLostWorker);
}

}  // namespace verbund
