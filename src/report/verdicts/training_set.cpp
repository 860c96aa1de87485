// Question 7: how big was the training set?
#include "core/human.h"
#include "report/verdicts/verdicts.h"
#include "report/verdicts/number_format.h"

namespace verbund {
namespace {

using Json = nlohmann::ordered_json;

double number(const Json& json, const char* pointer) {
  const Json::json_pointer place{std::string(pointer)};
  return json.contains(place) && json.at(place).is_number() ? json.at(place).get<double>() : kNotKnown;
}

std::string both_units(double bytes) {
  return fmt::format("{} MB ({} MiB)", short_number(bytes / 1e6), short_number(bytes / 1048576));
}

}  // namespace

Verdict training_set(const RunData& run) {
  Verdict verdict = ask("training_set", "How big was the training set?");
  verdict.rule =
      "Counted when the dataset was prepared: pairs and bytes of text after cleaning, tokens after it was cut into "
      "pieces. "
      "1 MB is 1,000,000 bytes, 1 MiB 1,048,576. An epoch is one pass over all pairs.";
  verdict.would_change = "Another corpus, or other rules of cleaning (the section `clean` of the configuration).";
  const Json dataset =
      run.record.is_object() && run.record.contains("dataset") ? run.record["dataset"] : Json::object();
  const double pairs = number(dataset, "/statistics/splits/train/pairs");
  if (!is_known(pairs)) {
    return cannot_tell(verdict, run.imported ? "an imported run does not say what it was trained on."
                                             : "the run's record has no statistics of its dataset.");
  }
  const double source = number(dataset, "/statistics/clean/source_bytes_after");
  const double target = number(dataset, "/statistics/clean/target_bytes_after");
  const double source_tokens = number(dataset, "/statistics/splits/train/source/tokens");
  const double target_tokens = number(dataset, "/statistics/splits/train/target/tokens");
  const double epochs = run.training.last("epoch");
  verdict.sentence = fmt::format("{} sentence pairs", counted(pairs));
  if (is_known(source + target)) {
    verdict.sentence +=
        fmt::format(", {} of text: {} in the source and {} in the target language", both_units(source + target),
                    human_bytes(static_cast<uint64_t>(source)), human_bytes(static_cast<uint64_t>(target)));
  }
  if (is_known(target_tokens)) verdict.sentence += fmt::format("; {} target tokens", counted(target_tokens));
  verdict.sentence += is_known(epochs) ? fmt::format(". The run saw them {} times.", short_number(epochs)) : ".";
  verdict.figures = {figure("pairs", pairs, ""),
                     figure("text", (source + target) / 1e6, "MB"),
                     figure("text", (source + target) / 1048576, "MiB"),
                     figure("source text", source, "bytes"),
                     figure("target text", target, "bytes"),
                     figure("source tokens", source_tokens, ""),
                     figure("target tokens", target_tokens, ""),
                     figure("pairs before cleaning", number(dataset, "/statistics/clean/pairs_before"), ""),
                     figure("epochs", epochs, "")};
  return verdict;
}

}  // namespace verbund
