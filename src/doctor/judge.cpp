#include "doctor/judge.h"

#include <fmt/format.h>

#include <algorithm>

namespace verbund {

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

Findings judge_facts(const Facts& facts) {
  Findings all;
  for (const auto& part : {judge_start, judge_sameness, judge_resources, judge_gpus, judge_network}) {
    for (Finding& finding : part(facts)) all.push_back(std::move(finding));
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

}  // namespace verbund
