// SPDX-License-Identifier: Apache-2.0
#include "launch/job_settings.h"

#include <net/if.h>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <sstream>
#include <string_view>

#include "core/error.h"
#include "core/ip_address.h"
#include "core/terminal.h"
#include "data/verified_note.h"

namespace verbund {
namespace {

std::string interface_names() {
  std::string names;
  const std::unique_ptr<struct if_nameindex, void (*)(struct if_nameindex*)> list(::if_nameindex(), ::if_freenameindex);
  for (const auto* item = list.get(); item != nullptr && item->if_name != nullptr; ++item) {
    names += (names.empty() ? "" : ", ") + std::string(item->if_name);
  }
  return names;
}

// "127.0.0.1 (lo), 10.0.0.3 (eth0)": of the family that Open MPI takes networks of.
std::string own_address_names() {
  std::string names;
  for (const OwnAddress& own : own_addresses()) {
    if (own.address.family() != AF_INET) continue;
    names += fmt::format("{}{} ({})", names.empty() ? "" : ", ", own.address.text(), own.interface);
  }
  return names;
}

// Also false if the text is not a network.
bool has_address_in(const std::string& text) {
  const std::optional<IpNetwork> network = IpNetwork::parse(text);
  const std::vector<OwnAddress> own = own_addresses();
  return network &&
         std::any_of(own.begin(), own.end(), [&](const OwnAddress& one) { return network->contains(one.address); });
}

}  // namespace

std::vector<std::string> own_variables(const JobSettings& settings) {
  std::vector<std::string> variables;
  // NCCL takes interface names, not networks; "=" means exactly this name, not a prefix.
  const std::vector<std::string>& passed = settings.environment;
  if (!settings.interface.empty() && settings.interface.find('/') == std::string::npos &&
      std::find(passed.begin(), passed.end(), "NCCL_SOCKET_IFNAME") == passed.end()) {
    variables.push_back("NCCL_SOCKET_IFNAME==" + settings.interface);
  }
  if (!settings.terminal.empty()) variables.push_back(fmt::format("{}={}", kTerminalVariable, settings.terminal));
  if (!settings.restart.empty()) variables.push_back(fmt::format("{}={}", kRestartVariable, settings.restart));
  if (settings.continues) variables.push_back(fmt::format("{}=1", kContinueVariable));
  if (!settings.verified.empty()) variables.push_back(fmt::format("{}={}", kVerifiedVariable, settings.verified));
  return variables;
}

std::vector<std::string> passed_variables(const char* const* environment) {
  std::vector<std::string> names;
  for (; *environment != nullptr; ++environment) {
    const std::string_view variable = *environment;
    for (const std::string_view prefix : {"VERBUND_", "OMP_", "GOMP_", "NCCL_", "VIRTUAL_ENV=", "LD_LIBRARY_PATH="}) {
      if (variable.starts_with(prefix)) names.emplace_back(variable.substr(0, variable.find('=')));
    }
  }
  for (const char* own : {kTerminalVariable, kRestartVariable, kContinueVariable, kVerifiedVariable}) {
    std::erase(names, own);  // meant for this process alone
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<std::string> split_words(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

void check_interfaces(const std::string& list) {
  std::istringstream items(list);
  for (std::string item; std::getline(items, item, ',');) {
    const bool is_network = item.find('/') != std::string::npos;
    if (is_network && item.find(':') != std::string::npos) {
      fail_usage(
          "--nic {}: Open MPI supports IPv4 networks only, not {}. Give the interface that has its addresses, one of "
          "{}",
          list, item, interface_names());
    }
    if (is_network && !has_address_in(item)) {
      fail_usage("--nic {}: this machine has no address in a network {}; it has {}", list, item, own_address_names());
    }
    if (is_network || ::if_nametoindex(item.c_str()) != 0) continue;
    fail_usage(
        "--nic {}: this machine has no network interface \"{}\"; it has {}.\n"
        "Where the interface has other names on other hosts, give the network: --nic 10.0.0.0/24",
        list, item, interface_names());
  }
}

}  // namespace verbund
