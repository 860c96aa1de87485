// SPDX-License-Identifier: Apache-2.0
// The model card of an export: what the run's files say, and nothing else.
#include <fmt/ranges.h>

#include <cmath>
#include <optional>

#include "config/show.h"
#include "core/file.h"
#include "core/human.h"
#include "core/json_file.h"
#include "core/plain_path.h"
#include "data/dataset_record.h"
#include "interop/export_huggingface.h"

namespace verbund {
namespace {

std::string text_of(const Json& json, const char* key) {
  return json.contains(key) && json.at(key).is_string() ? json.at(key).get<std::string>() : "";
}

// Calls use(object) for each line of a file, of which there may be none.
template <typename Use>
void for_each_object(const fs::path& path, Use use) {
  if (!fs::exists(path)) return;
  const std::string lines = read_file(path);
  for (size_t begin = 0; begin < lines.size();) {
    const size_t end = std::min(lines.find('\n', begin), lines.size());
    if (const Json line = try_parse_json(std::string_view(lines).substr(begin, end - begin)); line.is_object())
      use(line);
    begin = end + 1;
  }
}

// The evaluation of the exported step.
std::optional<Json> scores_of(const fs::path& run, int64_t step) {
  std::optional<Json> found;
  for_each_object(run / "metrics.jsonl", [&](const Json& line) {
    if (line.contains("dev_cross_entropy") && line.value("step", int64_t{-1}) == step) found = line;
  });
  return found;
}

struct EvaluatedSentences {
  uint64_t translated = 0, all = 0;  // 0: not recorded
};

// BLEU and chrF are those of the translated ones.
EvaluatedSentences evaluated_sentences(const fs::path& run, int64_t step) {
  EvaluatedSentences counts;
  for_each_object(run / "evaluations" / fmt::format("step-{:08d}.jsonl", step), [&](const Json& line) {
    ++counts.all;
    counts.translated += line.contains("translation") ? 1 : 0;
  });
  return counts;
}

std::string score_rows(const Json& scores, const EvaluatedSentences& counts) {
  const auto of = [&](uint64_t count) {
    if (count == 0) return std::string();
    return count == counts.all ? human_count(count)
                               : fmt::format("{} of {}", human_count(count), human_count(counts.all));
  };
  std::string rows = "| score on the dev set | value | sentences | signature |\n|---|---|---|---|\n";
  for (const auto& [name, key] : {std::pair{"BLEU", "dev_bleu"}, std::pair{"chrF", "dev_chrf"}}) {
    if (!scores.contains(key) || !scores.at(key).is_number()) continue;
    std::string signature;
    for (const char letter : text_of(scores, (std::string(key) + "_signature").c_str())) {
      signature += letter == '|' ? "\\|" : std::string(1, letter);  // else it would end the cell
    }
    rows += fmt::format("| {} | {:.2f} | {} | {} |\n", name, scores.at(key).get<double>(), of(counts.translated),
                        signature);
  }
  return rows +
         fmt::format("| cross-entropy | {:.4f} | {} | |\n", scores.value("dev_cross_entropy", 0.0), of(counts.all));
}

// The configuration without the sections that `prepare` alone reads.
std::string training_settings(const Config& config) {
  std::string all = show(config);
  const std::string dataset = dataset_settings(config);
  all.erase(all.find(dataset), dataset.size());
  return all;
}

struct RunFacts {
  DatasetRecord data;
  std::vector<std::string> train_commands;  // each with the step it went on from, up to the exported step
  Json started_from;                        // see describe_model; null: not known, or random weights
};

RunFacts facts_of(const fs::path& run, int64_t step) {
  RunFacts facts;
  use_note(run / "run.json", [&](const Json& record) {
    facts.data = read_dataset_record(record.value("dataset", Json::object()));
    facts.started_from = record.value("started_from", Json());
    std::string before;
    for (const Json& start : record.value("starts", Json::array())) {
      const int64_t from = start.value("step", int64_t{0});
      const std::string command = shell_line(start.at("command").get<std::vector<std::string>>());
      if (command == before || (from > 0 && from >= step)) continue;  // it only resumes, or came later
      before = command;
      if (!facts.train_commands.empty()) facts.train_commands.push_back(fmt::format("# from step {} on", from + 1));
      facts.train_commands.push_back(command);
    }
  });
  return facts;
}

// "Hugging Face Marian"; "" if the model was trained here.
std::string imported_kind(const Json& origin) {
  return origin.contains("imported") ? text_of(origin.at("imported"), "kind") : "";
}
std::string imported_kind(const TrainedModel& trained) { return imported_kind(parse_json(trained.origin)); }

// "law, step-00000400, which was fine-tuned from opus (imported from Hugging Face Marian: opus-mt-en-de)"; of paths the
// names, because a card is read elsewhere.
std::string base_text(const Json& model) {
  const Json origin = model.value("origin", Json::object());
  const std::string run = text_of(origin, "folder");
  std::string text = folder_name(run.empty() ? text_of(model, "path") : run);
  if (const std::string kind = imported_kind(origin); !kind.empty()) {
    return text + fmt::format(" (imported from {}: {})", kind, folder_name(text_of(origin.at("imported"), "from")));
  }
  if (const std::string checkpoint = text_of(model, "checkpoint"); !checkpoint.empty()) text += ", " + checkpoint;
  if (model.contains("started_from")) text += ", which was fine-tuned from " + base_text(model.at("started_from"));
  return text;
}

std::string origin_line(const TrainedModel& trained, const RunFacts& facts, const std::string& program) {
  if (const std::string kind = imported_kind(trained); !kind.empty()) {
    return fmt::format("Imported from {} and exported by {}.\n\n", kind, program);
  }
  const std::string weights =
      trained.mean_of.empty()
          ? fmt::format("step {} of its run{}", trained.step, trained.averaged ? ", averaged weights" : "")
          : fmt::format("the mean of the steps {} of its run", fmt::join(trained.mean_of, ", "));
  std::string line = fmt::format("Trained and exported by {}; {}.\n\n", program, weights);
  const std::string& base = trained.config.train.start_from;
  if (base.empty()) return line;
  return line + fmt::format("Fine-tuned from {}. Data and training below are those of the fine-tuning.\n\n",
                            facts.started_from.is_object() ? base_text(facts.started_from) : base);
}

std::string tags_line(const TrainedModel& trained) {
  const std::vector<std::string> tags = tags_of_training(trained.run);
  if (tags.empty()) return "";
  return fmt::format("All source sentences of the training began with a tag: `{}`. Put one before your text.\n\n",
                     fmt::join(tags, "`, `"));
}

std::string count_text(double count) { return human_count(static_cast<uint64_t>(count)); }

// "14,000 training pairs in 2 corpora: gen 8,000, law 6,000; 3,017 of them are longer than 60 tokens and were left
// out."
std::string pairs_text(const DatasetRecord& data, int64_t max_length) {
  double pairs = 0, usable = 0;
  for (const CorpusRecord& corpus : data.corpora) pairs += corpus.pairs, usable += corpus.usable;
  if (data.corpora.empty()) {  // as an older version recorded it
    pairs = data.sum(&FolderRecord::pairs);
    usable = pairs;
  }
  if (std::isnan(pairs)) return "Not recorded.\n\n";
  std::string text = count_text(pairs) + " training pairs";
  if (data.corpora.size() > 1) {
    std::vector<std::string> each;
    for (const CorpusRecord& corpus : data.corpora) each.push_back(corpus.name + " " + count_text(corpus.pairs));
    text += fmt::format(" in {} corpora: {}", each.size(), fmt::join(each, ", "));
  }
  if (usable < pairs) {
    text +=
        fmt::format("; {} of them are longer than {} tokens and were left out", count_text(pairs - usable), max_length);
  }
  return text + ".\n\n";
}

// How each dataset folder was made: its own settings, which are not those of the training.
std::string data_section(const TrainedModel& trained, const DatasetRecord& data) {
  std::string text = "## Data\n\n" + pairs_text(data, trained.config.batch.max_length);
  for (const FolderRecord& folder : data.folders) {
    if (!folder.command.empty()) {
      text += "    " + shell_line(folder.command) + "\n\n";
    } else if (!folder.path.empty()) {
      text += fmt::format("How {} was made is not recorded.\n\n", folder_name(folder.path));
    }
    if (!folder.settings.empty()) text += "```yaml\n" + folder.settings + "```\n\n";
  }
  return text;
}

// Training evaluates single steps: their scores are not those of a mean.
std::string scores_section(const TrainedModel& trained) {
  std::optional<Json> scores;
  if (trained.mean_of.empty()) scores = scores_of(trained.run, trained.step);
  const std::string table = scores ? score_rows(*scores, evaluated_sentences(trained.run, trained.step))
                                   : "No evaluation of these weights was recorded.\n";
  return "## Scores\n\n" + table;
}

// The section on training. For an imported model only the shape is known. How the dataset was made is in the section
// on data.
std::string training_section(const TrainedModel& trained, const RunFacts& facts) {
  if (!imported_kind(trained).empty()) {
    return "\n## Training\n\nNot recorded. The shape of the model:\n\n```yaml\n" + show(trained.config.model) +
           "```\n\n";
  }
  std::string commands;
  for (const std::string& line : facts.train_commands) commands += "    " + line + "\n";
  if (!commands.empty()) commands += "\n";
  return "\n## Training\n\n" + commands + "```yaml\n" + training_settings(trained.config) + "```\n\n";
}

}  // namespace

std::string model_card(const TrainedModel& trained, const std::string& program) {
  const RunFacts facts = facts_of(trained.run, trained.step);
  std::string card = "---\nlibrary_name: transformers\npipeline_tag: translation\n";
  if (!facts.data.source_language.empty()) {
    // In quotes: the code of Norwegian is a word for false in YAML.
    card += fmt::format("language:\n- {}\n- {}\n", dump_json(facts.data.source_language),
                        dump_json(facts.data.target_language));
  }
  card += "license: # fill in: that of your model; mind the licence of the data\n---\n\n# Translation model\n\n";
  return card + origin_line(trained, facts, program) + tags_line(trained) + data_section(trained, facts.data) +
         scores_section(trained) + training_section(trained, facts) + "## Licence\n\nTo be filled in.\n";
}

}  // namespace verbund
