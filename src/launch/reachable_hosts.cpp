// SPDX-License-Identifier: Apache-2.0
#include "launch/reachable_hosts.h"

#include <fmt/format.h>
#include <netdb.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "core/child_process.h"
#include "core/ip_address.h"

namespace verbund {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::seconds kPatienceWithOthers{1};

bool has_own_address(const std::string& host) {
  addrinfo* resolved = nullptr;
  if (::getaddrinfo(host.c_str(), nullptr, nullptr, &resolved) != 0) return false;
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> addresses(resolved, ::freeaddrinfo);
  const std::vector<OwnAddress> own = own_addresses();
  for (const addrinfo* item = addresses.get(); item != nullptr; item = item->ai_next) {
    const std::optional<IpAddress> address = IpAddress::of(item->ai_addr);
    if (std::any_of(own.begin(), own.end(), [&](const OwnAddress& one) { return one.address == address; })) return true;
  }
  return false;
}

// "a\nb\n" -> "a; b"
std::string on_one_line(std::string text) {
  while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back())) != 0) text.pop_back();
  text.erase(std::remove(text.begin(), text.end(), '\r'), text.end());
  for (size_t end; (end = text.find('\n')) != std::string::npos;) text.replace(end, 1, "; ");
  return text;
}

}  // namespace

bool is_this_machine(const std::string& host) {
  char name[256] = {};
  ::gethostname(name, sizeof name - 1);
  const std::string own = name;
  return host == "localhost" || host == own || host == own.substr(0, own.find('.')) || has_own_address(host);
}

std::vector<HostAnswer> HostProbe::ask(const std::vector<Host>& hosts, std::chrono::seconds patience,
                                       const StopSignals& signals, int enough) const {
  std::vector<HostAnswer> answers;
  std::vector<std::unique_ptr<ChildProcess>> questions;  // null for this machine
  for (const Host& host : hosts) {
    answers.push_back({host, is_this_machine(host.name), ""});
    questions.emplace_back();
    if (answers.back().answers) continue;
    std::vector<std::string> command = starter_.on_host(host.name);
    command.emplace_back("true");
    questions.back() = std::make_unique<ChildProcess>(command);
  }

  const Clock::time_point begin = Clock::now();
  Clock::time_point end = begin + patience;
  const auto settle = [&](size_t i, std::optional<int> code) {
    HostAnswer& answer = answers[i];
    answer.said = on_one_line(answer.said + questions[i]->read(std::chrono::milliseconds(0)));
    answer.answers = code == 0;
    if (!code) {
      const auto waited = std::chrono::round<std::chrono::seconds>(Clock::now() - begin).count();
      answer.said = fmt::format("no answer within {} s{}{}", waited, answer.said.empty() ? "" : ": ", answer.said);
    } else if (answer.said.empty() && *code != 0) {
      answer.said = fmt::format("{} exited with code {}", starter_.on_host(answer.host.name).front(), *code);
    }
    questions[i].reset();
  };
  for (bool open = true, hurried = false; open;) {
    open = false;
    for (size_t i = 0; i < hosts.size(); ++i) {
      if (!questions[i]) continue;
      signals.check();
      answers[i].said += questions[i]->read(std::chrono::milliseconds(5));
      if (const std::optional<int> code = questions[i]->exit_code()) {
        settle(i, code);
      } else if (Clock::now() >= end) {
        settle(i, std::nullopt);
      } else {
        open = true;
      }
    }
    if (open && !hurried && !questions.front() && total_slots(answering(answers)) >= enough) {
      hurried = true;
      end = std::min(end, Clock::now() + kPatienceWithOthers);
    }
  }
  return answers;
}

std::vector<Host> answering(const std::vector<HostAnswer>& answers) {
  std::vector<Host> hosts;
  for (const HostAnswer& answer : answers) {
    if (answer.answers) hosts.push_back(answer.host);
  }
  return hosts;
}

std::string describe_silent(const std::vector<HostAnswer>& answers) {
  std::string text;
  for (const HostAnswer& answer : answers) {
    if (!answer.answers) text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", answer.host.name, answer.said);
  }
  return text;
}

}  // namespace verbund
