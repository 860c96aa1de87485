// SPDX-License-Identifier: Apache-2.0
#include "control/rendezvous.h"

#include <map>
#include <random>
#include <set>

#include "core/error.h"
#include "core/json.h"
#include "core/log.h"

namespace verbund {
namespace {

// The ports at which a worker listens for its children.
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

// The children that do not reach a worker over the loopback.
std::vector<RemoteWorker> find_remote(const std::vector<std::string>& places, const std::vector<Worker>& workers,
                                      size_t rank, const std::vector<size_t>& children) {
  std::vector<RemoteWorker> remote;
  const std::string own = parse_json(places[rank]).at("network");
  for (const size_t child : children) {
    const Json place = parse_json(places[child]);
    if (!own.empty() && place.at("network") == own) continue;
    RemoteWorker worker{workers[child].name(), {}};
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

// "worker 1 on a, worker 5 on c could not connect to worker 0 on a at 10.0.0.1:4000".
std::string describe_missing(const std::set<size_t>& missing, const ControlTree& tree,
                             const std::vector<Worker>& workers, const std::vector<std::string>& invitations) {
  std::string text;
  std::map<size_t, std::string> names;  // by whom they have to call
  for (const size_t rank : missing) {
    std::string& list = names[tree.parent(rank)];
    list += (list.empty() ? "" : ", ") + workers[rank].name();
  }
  for (const auto& [parent, list] : names) {
    const Json invitation = parse_json(invitations[parent]);
    text += fmt::format("{}{} before the start: could not connect to {} at {}", text.empty() ? "" : "; ", list,
                        workers[parent].name(), texts_of(endpoints_of(invitation.at("endpoints"))));
  }
  return text;
}

}  // namespace

// Worker 0 and the leaders open ports. All learn of them and of the run's number, and call their parents. Who did not
// come is gathered as well, so all workers fail together and name the missing ones.
ControlSockets open_control_sockets(Rendezvous& rendezvous, const std::vector<Worker>& workers,
                                    const std::string& networks, const JoiningLimits& limits) {
  const std::vector<std::string> places = rendezvous.gather(describe_place());
  ControlSockets sockets{0, static_cast<size_t>(rendezvous.rank()), ControlTree(workers),
                         std::vector<Socket>(workers.size())};
  const size_t rank = sockets.rank, parent = sockets.tree.parent(rank);
  const std::vector<size_t>& children = sockets.tree.children(rank);
  Reachable own;
  if (!children.empty()) {
    own = listen_for(find_remote(places, workers, rank, children), workers[rank].name(), networks);
  }
  Json invitation = {{"endpoints", to_json(own.endpoints)}};
  if (rank == 0) {
    std::random_device random;
    invitation["run"] = uint64_t{random()} << 32 | random();
  }
  const std::vector<std::string> invitations = rendezvous.gather(dump_json(invitation));
  sockets.run = parse_json(invitations[0]).at("run");

  Heartbeat hello;
  hello.run = sockets.run;
  hello.kind = HeartbeatKind::kHello;
  hello.rank = rendezvous.rank();
  if (rank != 0) {
    JoiningLimits own_limits = limits;
    // A leader answers when it has reached worker 0, or has given up; then it waits as long again.
    if (parent != 0) own_limits.together += limits.together + limits.address + limits.hello;
    const Json of_parent = parse_json(invitations[parent]);
    sockets.by_rank[parent] = call_parent(endpoints_of(of_parent.at("endpoints")), hello, own_limits);
  }
  std::vector<Socket> joined = await_children(own.listening, children, hello, limits);
  own.listening.clear();  // nobody can connect from here on
  std::vector<size_t> absent;
  for (size_t i = 0; i < children.size(); ++i) {
    if (!joined[i].is_open()) absent.push_back(children[i]);
    sockets.by_rank[children[i]] = std::move(joined[i]);
  }
  std::set<size_t> missing;
  for (const std::string& text : rendezvous.gather(dump_json(absent))) {
    missing.merge(parse_json(text).get<std::set<size_t>>());
  }
  if (missing.empty()) return sockets;
  tell_launch({WorkerEvent::kLost, static_cast<int>(*missing.begin())});
  throw Error(fmt::format("lost {}. Open all ports between the hosts, or choose another network (launch --nic)",
                          describe_missing(missing, sockets.tree, workers, invitations)),
              kExitLostWorker);
}

}  // namespace verbund
