// SPDX-License-Identifier: Apache-2.0
#include "control/listening_addresses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "unit/control/made_network.h"

namespace verbund {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A machine with a way to the world, a network of its own for training, and a virtual bridge.
const std::vector<OwnAddress> kOwn = {
    {"lo", address("127.0.0.1"), true, true},   {"eth0", address("192.0.2.10"), true, false},
    {"eth1", address("10.0.0.1"), true, false}, {"eth1", address("fd00::1"), true, false},
    {"eth1", address("fe80::1"), true, false},  {"docker0", address("172.17.0.1"), true, false},
    {"eth2", address("10.9.0.1"), false, false}};

// By its routes.
std::optional<IpAddress> source(const IpAddress& other) {
  if (IpNetwork::parse("10.0.0.0/24")->contains(other)) return address("10.0.0.1");
  if (IpNetwork::parse("fd00::/64")->contains(other)) return address("fd00::1");
  if (IpNetwork::parse("172.17.0.0/16")->contains(other)) return address("172.17.0.1");
  if (IpNetwork::parse("0.0.0.0/0")->contains(other)) return address("192.0.2.10");
  return std::nullopt;
}

std::vector<std::string> chosen(const std::string& networks, const std::vector<RemoteWorker>& others) {
  std::vector<std::string> texts;
  for (const IpAddress& one : choose_listening_addresses(kOwn, networks, others, source).addresses) {
    texts.push_back(one.text());
  }
  return texts;
}

RemoteWorker worker(const std::vector<std::string>& addresses) {
  RemoteWorker worker{"worker 1 on b", {}};
  for (const std::string& text : addresses) worker.addresses.push_back(address(text));
  return worker;
}

TEST(ListeningAddresses, OfOneMachineIsTheLoopback) {
  EXPECT_THAT(chosen("", {}), ElementsAre("127.0.0.1", "::1"));
  EXPECT_THAT(chosen("eth1", {}), ElementsAre("127.0.0.1", "::1"));
}

TEST(ListeningAddresses, AreThoseOfTheChosenNetwork) {
  const RemoteWorker other = worker({"192.0.2.11", "10.0.0.2", "fd00::2"});
  EXPECT_THAT(chosen("eth1", {other}), ElementsAre("10.0.0.1", "fd00::1"));
  EXPECT_THAT(chosen("10.0.0.0/24", {other}), ElementsAre("10.0.0.1"));
  EXPECT_THAT(chosen("fd00::/64", {other}), ElementsAre("fd00::1"));
  EXPECT_THAT(chosen("eth0,10.0.0.0/24,eth0", {other}), ElementsAre("192.0.2.10", "10.0.0.1"));
}

TEST(ListeningAddresses, WithoutAChoiceAreThoseWithRoutesToTheOthers) {
  EXPECT_THAT(chosen("", {worker({"10.0.0.2"}), worker({"10.0.0.3"})}), ElementsAre("10.0.0.1"));
  EXPECT_THAT(chosen("", {worker({"10.0.0.2"}), worker({"fd00::3"})}), ElementsAre("10.0.0.1", "fd00::1"));
  EXPECT_THAT(chosen("", {worker({"198.51.100.7"})}), ElementsAre("192.0.2.10"));
  EXPECT_THAT(chosen("eth7", {worker({"10.0.0.2"})}), ElementsAre("10.0.0.1")) << "it has no such interface";
  EXPECT_THAT(chosen("eth2", {worker({"10.0.0.2"})}), ElementsAre("10.0.0.1")) << "which is down";
}

TEST(ListeningAddresses, AVirtualBridgeOfBothMachinesLeadsNowhere) {
  EXPECT_THAT(chosen("", {worker({"172.17.0.1", "10.0.0.2"})}), ElementsAre("10.0.0.1"));
}

TEST(ListeningAddresses, AreAllWhenSomebodyIsOutOfReach) {
  for (const RemoteWorker& lost : {worker({"2001:db8::1"}), worker({}), worker({"172.17.0.1"})}) {
    const ListeningAddresses all = choose_listening_addresses(kOwn, "", {worker({"10.0.0.2"}), lost}, source);
    EXPECT_THAT(all.addresses, IsEmpty());
    EXPECT_THAT(all.why_everywhere, HasSubstr("worker 1 on b"));
  }
}

TEST(NetworksOfMpi, AreThoseOfGradientsBeforeThoseOfDaemons) {
  unsetenv("OMPI_MCA_btl_tcp_if_include");
  unsetenv("OMPI_MCA_oob_tcp_if_include");
  EXPECT_EQ(networks_of_mpi(), "");
  setenv("OMPI_MCA_oob_tcp_if_include", "eth0", 1);
  EXPECT_EQ(networks_of_mpi(), "eth0");
  setenv("OMPI_MCA_btl_tcp_if_include", "eth1", 1);
  EXPECT_EQ(networks_of_mpi(), "eth1");
  unsetenv("OMPI_MCA_btl_tcp_if_include");
  unsetenv("OMPI_MCA_oob_tcp_if_include");
}

}  // namespace
}  // namespace verbund
