#include "report/evaluated_sentences.h"

#include <fstream>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/file.h"

namespace verbund {
namespace {

using Json = nlohmann::json;

// Calls `use` with each line that is an object, until it returns false or one is damaged.
template <typename Use>
void for_each_line(const fs::path& file, Use use) {
  if (!fs::exists(file)) return;
  const MappedFile mapped(file);
  std::string_view rest = mapped.bytes();
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    const Json line = Json::parse(rest.substr(0, end), nullptr, false);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    try {
      if (!line.is_object() || !use(line)) return;
    } catch (const Json::exception&) {
      return;
    } catch (const Error&) {  // statistics of another size
      return;
    }
  }
}

}  // namespace

EvaluatedSentences read_evaluated_sentences(const fs::path& file) {
  EvaluatedSentences read;
  for_each_line(file, [&](const Json& line) {
    const double tokens = line.at("tokens"), sum = line.at("cross_entropy");
    if (line.contains("translation")) {
      std::string translation = line.at("translation");
      BleuStatistics bleu = bleu_statistics_of(line.at("bleu").get<std::vector<int64_t>>());
      read.chrf.push_back(chrf_statistics_of(line.at("chrf").get<std::vector<int64_t>>()));
      read.bleu.push_back(bleu);
      read.translations.push_back(std::move(translation));
    }
    read.loss.push_back(tokens > 0 ? sum / tokens : sum);
    return true;
  });
  return read;
}

std::vector<DevSentence> read_dev_sentences(const fs::path& run) {
  std::vector<DevSentence> sentences;
  for_each_line(run / "evaluations" / "dev.jsonl", [&](const Json& line) {
    sentences.push_back({line.at("source"), line.at("reference")});
    return true;
  });
  return sentences;
}

}  // namespace verbund
