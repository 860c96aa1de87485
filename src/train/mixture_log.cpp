// SPDX-License-Identifier: Apache-2.0
#include "train/mixture_log.h"

#include "core/human.h"

namespace verbund {
namespace {

bool is_plain(const MixtureProgress& progress) {
  return progress.stages().size() == 1 && progress.set().corpora().size() == 1 && !progress.current().ends();
}

std::string title(const MixtureProgress& progress, size_t stage) {
  if (progress.stages().size() == 1) return "mixture";
  return fmt::format("stage {} ({} of {})", progress.stages()[stage].name, stage + 1, progress.stages().size());
}

}  // namespace

std::vector<std::string> mixture_lines(const MixtureProgress& progress, bool resumed, int64_t steps) {
  if (is_plain(progress)) return {};
  std::vector<std::string> corpora;
  for (size_t i = 0; i < progress.usable().size(); ++i) {
    const TrainingCorpus& corpus = progress.set().corpora()[i];
    const std::string weight = corpus.weight == 1 ? "" : fmt::format(" of weight {:g}", corpus.weight);
    const std::string origin = corpus.origin.empty() ? "" : fmt::format(" ({})", corpus.origin);
    corpora.push_back(fmt::format("{}{} {} pairs{}", corpus.name, origin, human_count(progress.usable()[i]), weight));
  }
  std::vector<std::string> lines = {fmt::format("corpora: {}", fmt::join(corpora, ", "))};
  for (size_t i = 0; i < progress.stages().size(); ++i) {
    lines.push_back(fmt::format("{}: {}", title(progress, i), describe(progress.stages()[i], progress.set())));
  }
  if (resumed && progress.is_over(steps)) {
    lines.push_back(fmt::format("mixture: the last stage, {}, began at step {} and is over: nothing is left to train",
                                progress.current().name, progress.first_step()));
  }
  const PairCounts seen = progress.seen();
  if (!resumed || seen.empty()) return lines;
  const std::string where = progress.stages().size() > 1 ? " in stage " + progress.current().name : "";
  lines.push_back(fmt::format("mixture: continues{} after {}", where, describe_seen(progress, seen)));
  return lines;
}

Json mixture_values(const MixtureProgress& progress) {
  Json values = Json::object();
  const PairCounts seen = progress.seen();
  for (size_t i = 0; i < seen.size(); ++i) {
    const std::string& name = progress.set().corpora()[i].name;
    values["pairs_seen." + name] = seen[i];
    const auto pairs = static_cast<double>(progress.usable()[i]);
    if (pairs > 0) values["epochs_seen." + name] = static_cast<double>(seen[i]) / pairs;
  }
  if (progress.stages().size() > 1) values["stage"] = progress.stage() + 1;
  return values;
}

std::string stage_line(const MixtureProgress& progress, const PairCounts& seen) {
  const std::string now =
      fmt::format("{}: {}", title(progress, progress.stage()), describe(progress.current(), progress.set()));
  return seen.empty() ? now : fmt::format("{}. Seen in the stage before: {}", now, describe_seen(progress, seen));
}

Json stage_details(const MixtureProgress& progress, const PairCounts& seen) {
  Json details = {{"stage", progress.stage() + 1}, {"name", progress.current().name}};
  details["before"] = {{"name", progress.stages()[progress.stage() - 1].name}, {"seen", Json::object()}};
  for (size_t i = 0; i < seen.size(); ++i) details["before"]["seen"][progress.set().corpora()[i].name] = seen[i];
  return details;
}

Json corpora_json(const MixtureProgress& progress) {
  Json corpora = Json::array();
  for (size_t i = 0; i < progress.usable().size(); ++i) {
    const TrainingCorpus& corpus = progress.set().corpora()[i];
    corpora.push_back({{"name", corpus.name},
                       {"pairs", corpus.split->size()},
                       {"usable_pairs", progress.usable()[i]},
                       {"weight", corpus.weight},
                       {"tag", corpus.tag}});
  }
  return corpora;
}

}  // namespace verbund
