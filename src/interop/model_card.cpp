// SPDX-License-Identifier: Apache-2.0
// The model card of an export: what the run's files say, and nothing else.
#include <fmt/ranges.h>

#include <optional>

#include "config/show.h"
#include "core/file.h"
#include "core/human.h"
#include "core/json_file.h"
#include "interop/export_huggingface.h"

namespace verbund {
namespace {

std::string text_of(const Json& json, const char* key) {
  return json.contains(key) && json.at(key).is_string() ? json.at(key).get<std::string>() : "";
}

// The evaluation of the exported step.
std::optional<Json> scores_of(const fs::path& run, int64_t step) {
  const fs::path path = run / "metrics.jsonl";
  if (!fs::exists(path)) return {};
  std::optional<Json> found;
  const std::string lines = read_file(path);
  for (size_t begin = 0; begin < lines.size();) {
    const size_t end = std::min(lines.find('\n', begin), lines.size());
    Json line = try_parse_json(lines.substr(begin, end - begin));
    begin = end + 1;
    if (line.is_object() && line.contains("dev_cross_entropy") && line.value("step", int64_t{-1}) == step)
      found = std::move(line);
  }
  return found;
}

std::string score_rows(const Json& scores) {
  std::string rows = "| score on the dev set | value | signature |\n|---|---|---|\n";
  for (const auto& [name, key] : {std::pair{"BLEU", "dev_bleu"}, std::pair{"chrF", "dev_chrf"}}) {
    if (!scores.contains(key) || !scores.at(key).is_number()) continue;
    std::string signature;
    for (const char letter : text_of(scores, (std::string(key) + "_signature").c_str())) {
      signature += letter == '|' ? "\\|" : std::string(1, letter);  // else it would end the cell
    }
    rows += fmt::format("| {} | {:.2f} | {} |\n", name, scores.at(key).get<double>(), signature);
  }
  return rows + fmt::format("| cross-entropy | {:.4f} | |\n", scores.value("dev_cross_entropy", 0.0));
}

struct RunFacts {
  std::string source_language, target_language, dataset, prepare_command, train_command;
  int64_t pairs = 0;
};

RunFacts facts_of(const fs::path& run) {
  RunFacts facts;
  const auto command = [](const Json& words) { return shell_line(words.get<std::vector<std::string>>()); };
  use_note(run / "run.json", [&](const Json& record) {
    if (record.contains("starts") && !record.at("starts").empty()) {
      facts.train_command = command(record.at("starts").at(0).at("command"));
    }
    const Json dataset = record.value("dataset", Json::object());
    facts.dataset = text_of(dataset, "path");
    facts.source_language = text_of(dataset, "source_language");
    facts.target_language = text_of(dataset, "target_language");
    facts.pairs = dataset.at("statistics").at("splits").at("train").at("pairs").get<int64_t>();
    facts.prepare_command = command(dataset.at("provenance").at("command"));
  });
  return facts;
}

// "Hugging Face Marian"; "" if the model was trained here.
std::string imported_kind(const TrainedModel& trained) {
  const Json origin = parse_json(trained.origin);
  return origin.contains("imported") ? text_of(origin.at("imported"), "kind") : "";
}

std::string origin_line(const TrainedModel& trained, const std::string& program) {
  if (const std::string kind = imported_kind(trained); !kind.empty()) {
    return fmt::format("Imported from {} and exported by {}.\n\n", kind, program);
  }
  const std::string weights =
      trained.mean_of.empty()
          ? fmt::format("step {} of its run{}", trained.step, trained.averaged ? ", averaged weights" : "")
          : fmt::format("the mean of the steps {} of its run", fmt::join(trained.mean_of, ", "));
  return fmt::format("Trained and exported by {}; {}.\n\n", program, weights);
}

std::string data_section(const RunFacts& facts) {
  std::string text = "## Data\n\n";
  text += facts.pairs > 0 ? fmt::format("{} training pairs.\n\n", human_count(facts.pairs)) : "Not recorded.\n\n";
  if (!facts.prepare_command.empty()) text += "    " + facts.prepare_command + "\n\n";
  return text;
}

// Training evaluates single steps: their scores are not those of a mean.
std::string scores_section(const TrainedModel& trained) {
  std::optional<Json> scores;
  if (trained.mean_of.empty()) scores = scores_of(trained.run, trained.step);
  return "## Scores\n\n" + (scores ? score_rows(*scores) : "No evaluation of these weights was recorded.\n");
}

// Of an imported model only the shape is known.
std::string training_section(const TrainedModel& trained, const RunFacts& facts) {
  if (!imported_kind(trained).empty()) {
    return "\n## Training\n\nNot recorded. The shape of the model:\n\n```yaml\n" + show(trained.config.model) +
           "```\n\n";
  }
  const std::string command = facts.train_command.empty() ? "" : "    " + facts.train_command + "\n\n";
  return "\n## Training\n\n" + command + "```yaml\n" + show(trained.config) + "```\n\n";
}

}  // namespace

std::string model_card(const TrainedModel& trained, const std::string& program) {
  const RunFacts facts = facts_of(trained.run);
  std::string card = "---\nlibrary_name: transformers\npipeline_tag: translation\n";
  if (!facts.source_language.empty()) {
    card += fmt::format("language:\n- {}\n- {}\n", facts.source_language, facts.target_language);
  }
  card += "license: # fill in: that of your model; mind the licence of the data\n---\n\n# Translation model\n\n";
  return card + origin_line(trained, program) + data_section(facts) + scores_section(trained) +
         training_section(trained, facts) + "## Licence\n\nTo be filled in.\n";
}

}  // namespace verbund
