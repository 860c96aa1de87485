#include <fmt/format.h>

#include "doctor/judge.h"

namespace verbund {
namespace {

Findings judge_answers(const std::vector<AskedHost>& asked) {
  Findings findings;
  std::string answering;
  for (const AskedHost& host : asked) {
    if (host.answers) {
      answering += fmt::format("{}{} ({})", answering.empty() ? "" : ", ", host.name, host.slots);
    } else {
      findings.push_back(
          {Health::kProblem, "reachable", fmt::format("{} does not answer: {}", host.name, host.said),
           fmt::format("make this work without a password: ssh {} true (or the command of --rsh)", host.name)});
    }
  }
  if (!answering.empty()) {
    findings.insert(findings.begin(),
                    {Health::kOk, "reachable", "hosts that answer, with their workers: " + answering});
  }
  return findings;
}

std::string advice_on(StartResult result) {
  switch (result) {
    case StartResult::kBlocked:
      return "hosts must accept connections from each other on all ports: look for a firewall (nft list ruleset, ufw "
             "status), and for the right network: --nic IF or --nic 10.0.0.0/24";
    case StartResult::kNoProgram:
      return "the program and the current folder must be under the same path on every host: copy or mount them";
    case StartResult::kNoMpirun:
      return "install Open MPI on every host (Debian: openmpi-bin)";
    default:
      return "what mpirun and the workers said is above";
  }
}

}  // namespace

Findings judge_start(const Facts& facts) {
  Findings findings = judge_answers(facts.asked);
  if (facts.start == StartResult::kNotTried) {
    findings.push_back({Health::kProblem, "start", "not tried, and nothing else looked at, before all hosts answer",
                        "repair the above, or leave the host out of -H"});
  } else if (facts.start != StartResult::kTogether) {
    findings.push_back({Health::kProblem, "start", facts.start_message, advice_on(facts.start)});
  } else if (facts.workers.size() > 1) {
    findings.push_back({Health::kOk, "start", fmt::format("{} workers came together", facts.workers.size())});
  }
  return findings;
}

}  // namespace verbund
