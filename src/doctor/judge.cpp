// SPDX-License-Identifier: Apache-2.0
#include "doctor/judge.h"

#include <fmt/format.h>

#include <algorithm>

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
           fmt::format(
               "this must work without a password: ssh {} true (or the command of --rsh); with Slurm see: sinfo "
               "-R; scontrol show node {}",
               host.name, host.name)});
    }
  }
  if (!answering.empty()) {
    findings.insert(findings.begin(), {Health::kOk, "reachable", "hosts that answer (workers): " + answering});
  }
  return findings;
}

std::string advice_on(StartResult result) {
  switch (result) {
    case StartResult::kBlocked:
      return "hosts must accept connections from each other on all ports: check for a firewall (nft list ruleset, ufw "
             "status), and choose the right network: --nic IF or --nic 10.0.0.0/24";
    case StartResult::kNoProgram:
      return "the program and the current folder must be under the same path on every host: copy or mount them";
    case StartResult::kNoMpirun:
      return "install Open MPI on every host (Debian: openmpi-bin)";
    default:
      return "see the output of mpirun (or srun) and of the workers above";
  }
}

}  // namespace

const char* name_of(Health health) {
  switch (health) {
    case Health::kSkipped:
      return "-";
    case Health::kOk:
      return "ok";
    case Health::kWarning:
      return "warning";
    case Health::kProblem:
      return "problem";
  }
  return "";
}

Health worst_of(const Findings& findings) {
  Health worst = Health::kOk;
  for (const Finding& finding : findings) worst = std::max(worst, finding.health);
  return worst;
}

void add_findings(Findings& all, Findings more) { std::move(more.begin(), more.end(), std::back_inserter(all)); }

Findings judge_facts(const Facts& facts) {
  Findings all;
  for (const auto& part : {judge_start, judge_consistency, judge_resources, judge_gpus, judge_network}) {
    add_findings(all, part(facts));
  }
  return all;
}

std::string describe(const std::vector<const WorkerFacts*>& workers) {
  std::string text = workers.size() == 1 ? "worker" : "workers";
  for (size_t i = 0; i < workers.size(); ++i) {
    const bool first_of_host = i == 0 || workers[i]->host != workers[i - 1]->host;
    const bool last_of_host = i + 1 == workers.size() || workers[i]->host != workers[i + 1]->host;
    text += fmt::format("{}{}{}",
                        i == 0          ? " "
                        : first_of_host ? " and "
                                        : ", ",
                        workers[i]->rank, last_of_host ? " on " + workers[i]->host : "");
  }
  return text;
}

Findings judge_start(const Facts& facts) {
  Findings findings = judge_answers(facts.asked);
  if (facts.start == StartResult::kNotTried) {
    findings.push_back({Health::kProblem, "start",
                        "not tried, and nothing else checked, because a host does not answer",
                        "repair the above, or remove the host from -H"});
  } else if (facts.start != StartResult::kTogether) {
    findings.push_back({Health::kProblem, "start", facts.start_message, advice_on(facts.start)});
  } else if (facts.workers.size() > 1) {
    findings.push_back({Health::kOk, "start", fmt::format("{} workers connected", facts.workers.size())});
  }
  return findings;
}

}  // namespace verbund
