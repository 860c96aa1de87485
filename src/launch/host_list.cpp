// SPDX-License-Identifier: Apache-2.0
#include "launch/host_list.h"

#include <algorithm>
#include <charconv>
#include <sstream>

#include "core/error.h"

namespace verbund {
namespace {

bool is_host_name(std::string_view name) {
  const auto allowed = [](unsigned char c) { return std::isalnum(c) != 0 || c == '.' || c == '-' || c == '_'; };
  return !name.empty() && name.front() != '-' && std::all_of(name.begin(), name.end(), allowed);
}

// The number of slots; 0 if the text is not a valid one.
int parse_slots(std::string_view text) {
  int slots = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), slots);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  return whole && slots >= 1 && slots <= kMostSlots ? slots : 0;
}

void add(std::vector<Host>& hosts, const Host& host) {
  const auto known = std::find_if(hosts.begin(), hosts.end(), [&](const Host& h) { return h.name == host.name; });
  if (known == hosts.end()) {
    hosts.push_back(host);
  } else {
    known->slots += host.slots;
  }
}

}  // namespace

std::vector<Host> parse_host_list(const std::string& text) {
  std::vector<Host> hosts;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    const std::string item = text.substr(begin, end - begin);
    const size_t colon = item.find(':');
    const Host host{item.substr(0, colon), colon == std::string::npos ? 1 : parse_slots(item.substr(colon + 1))};
    if (!is_host_name(host.name) || host.slots == 0) {
      fail_usage("-H {}: \"{}\" is not a host with its number of workers.\nWrite HOST:WORKERS, as in -H a:2,b:2", text,
                 item);
    }
    add(hosts, host);
    begin = end + 1;
  }
  return hosts;
}

std::vector<Host> parse_host_file(std::string_view text, const std::string& file) {
  std::vector<Host> hosts;
  std::istringstream lines{std::string(text)};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::istringstream words(line.substr(0, line.find('#')));
    Host host;
    if (!(words >> host.name)) continue;
    bool valid = is_host_name(host.name);
    for (std::string word; words >> word;) {
      constexpr std::string_view kSlots = "slots=";
      valid = valid && word.starts_with(kSlots) && (host.slots = parse_slots(word.substr(kSlots.size()))) != 0;
    }
    if (!valid) {
      fail_usage("{}, line {}: \"{}\" is not a host with its number of workers.\nWrite: HOST slots=WORKERS", file,
                 number, line);
    }
    add(hosts, host);
  }
  if (hosts.empty()) fail_usage("{} names no host.\nWrite one host per line: HOST slots=WORKERS", file);
  return hosts;
}

int total_slots(const std::vector<Host>& hosts) {
  int total = 0;
  for (const Host& host : hosts) total += host.slots;
  return total;
}

std::vector<Host> used_hosts(const std::vector<Host>& hosts, int workers) {
  std::vector<Host> used;
  for (const Host& host : hosts) {
    if (workers <= 0) break;
    used.push_back({host.name, std::min(host.slots, workers)});
    workers -= host.slots;
  }
  return used;
}

std::string host_of_worker(const std::vector<Host>& hosts, int rank) {
  for (const Host& host : hosts) {
    if (rank < host.slots) return host.name;
    rank -= host.slots;
  }
  return "";
}

std::string describe_workers(int count) { return fmt::format("{} worker{}", count, count == 1 ? "" : "s"); }

std::string describe_hosts(const std::vector<Host>& hosts) {
  std::string text;
  for (const Host& host : hosts) text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", host.name, host.slots);
  return text;
}

}  // namespace verbund
