// SPDX-License-Identifier: Apache-2.0
#include "launch/host_list.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>
#include <utility>

#include "core/byte_order_mark.h"
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
  return whole && slots >= 1 && slots <= kMaxSlots ? slots : 0;
}

// "a:2" -> a with 2 slots, "a" -> a with 1; nothing if the text is neither.
std::optional<Host> parse_item(const std::string& item) {
  const size_t colon = item.find(':');
  const Host host{item.substr(0, colon), colon == std::string::npos ? 1 : parse_slots(item.substr(colon + 1))};
  if (!is_host_name(host.name) || host.slots == 0) return std::nullopt;
  return host;
}

// The items of "a:2,b", each with its text.
std::vector<std::string> split_items(const std::string& text) {
  std::vector<std::string> items;
  for (size_t begin = 0; begin <= text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    items.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return items;
}

void add(std::vector<Host>& hosts, const Host& host) {
  const auto known = std::find_if(hosts.begin(), hosts.end(), [&](const Host& h) { return h.name == host.name; });
  if (known == hosts.end()) {
    hosts.push_back(host);
  } else {
    known->slots += host.slots;
  }
}

// A line of a host file, without its comment: "a slots=2", "a:2" or "a:2,b:2". Returns the word that makes it none of
// these; "" if there is none.
std::string parse_line(const std::string& line, std::vector<Host>& hosts) {
  std::istringstream words(line);
  std::string first;
  if (!(words >> first)) return "";
  std::vector<Host> named;
  for (const std::string& item : split_items(first)) {
    const std::optional<Host> host = parse_item(item);
    if (!host) return first;
    named.push_back(*host);
  }
  bool may_have_slots = first.find_first_of(":,") == std::string::npos;
  for (std::string word; words >> word;) {
    constexpr std::string_view kSlots = "slots=";
    if (!std::exchange(may_have_slots, false) || !word.starts_with(kSlots)) return word;
    named.front().slots = parse_slots(word.substr(kSlots.size()));
    if (named.front().slots == 0) return word;
  }
  for (const Host& host : named) add(hosts, host);
  return "";
}

// Without control characters, which would end a message or change the terminal.
std::string shown(std::string_view text) {
  std::string visible;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    visible += byte < 0x20 || byte == 0x7f ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  return visible;
}

}  // namespace

std::vector<Host> parse_host_list(const std::string& text) {
  std::vector<Host> hosts;
  for (const std::string& item : split_items(text)) {
    const std::optional<Host> host = parse_item(item);
    if (!host) {
      fail_usage("-H {}: \"{}\" is not a host with its number of workers.\nWrite HOST:WORKERS, as in -H a:2,b:2", text,
                 item);
    }
    add(hosts, *host);
  }
  return hosts;
}

std::vector<Host> parse_host_file(std::string_view text, const std::string& file) {
  std::vector<Host> hosts;
  std::istringstream lines{std::string(without_byte_order_mark(text))};
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    const std::string wrong = parse_line(line.substr(0, line.find('#')), hosts);
    if (wrong.empty()) continue;
    fail_usage("{}, line {}: \"{}\" is not a host with its number of workers{}.\nWrite: HOST slots=WORKERS", file,
               number, shown(line), wrong == line ? "" : fmt::format(", because of \"{}\"", shown(wrong)));
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
  constexpr size_t kMaxNamed = 16;
  std::string text;
  for (size_t i = 0; i < std::min(hosts.size(), kMaxNamed); ++i) {
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", hosts[i].name, hosts[i].slots);
  }
  return hosts.size() <= kMaxNamed ? text : fmt::format("{} and {} other hosts", text, hosts.size() - kMaxNamed);
}

}  // namespace verbund
