// SPDX-License-Identifier: Apache-2.0
#include "score/score_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

namespace verbund {
namespace {

std::string verbose_bleu(const BleuScore& score) {
  const auto hypothesis = static_cast<double>(score.statistics.hypothesis_length);
  const auto reference = static_cast<double>(score.statistics.reference_length);
  return fmt::format("{:.1f} (BP = {:.3f} ratio = {:.3f} hyp_len = {} ref_len = {})", fmt::join(score.precisions, "/"),
                     score.brevity_penalty, reference > 0.0 ? hypothesis / reference : 0.0,
                     score.statistics.hypothesis_length, score.statistics.reference_length);
}

// "nrefs:1|case:mixed" -> {"nrefs": "1", "case": "mixed"}
void add_signature_fields(std::string_view signature, Json& json) {
  while (!signature.empty()) {
    const std::string_view field = signature.substr(0, signature.find('|'));
    const size_t colon = field.find(':');
    json[std::string(field.substr(0, colon))] = field.substr(colon + 1);
    signature.remove_prefix(std::min(field.size() + 1, signature.size()));
  }
}

std::string interval_text(const ScoreInterval& interval, int width) {
  return fmt::format("μ = {:.{}f} ± {:.{}f}", interval.mean, width, interval.half_width, width);
}

}  // namespace

ScoreReport report(const BleuScore& score) {
  return {.name = "BLEU",
          .score = score.score,
          .signature = score.signature,
          .verbose = verbose_bleu(score),
          .numbers = {{"counts", score.statistics.counts},
                      {"totals", score.statistics.totals},
                      {"precisions", score.precisions},
                      {"bp", score.brevity_penalty},
                      {"sys_len", score.statistics.hypothesis_length},
                      {"ref_len", score.statistics.reference_length}}};
}

ScoreReport report(const ChrfScore& score) {
  Json hypothesis = Json::array(), reference = hypothesis, matches = hypothesis;
  for (const NgramStatistics& order : score.statistics.orders) {
    hypothesis.push_back(order.hypothesis);
    reference.push_back(order.reference);
    matches.push_back(order.matches);
  }
  return {.name = score.name,
          .score = score.score,
          .signature = score.signature,
          .verbose = "",
          .numbers = {{"sys_ngrams", hypothesis}, {"ref_ngrams", reference}, {"matches", matches}}};
}

ScoreReport report(const TerScore& score) {
  return {.name = "TER",
          .score = score.score,
          .signature = score.signature,
          .verbose = "",
          .numbers = {{"num_edits", score.statistics.edits}, {"ref_length", score.statistics.reference_length}}};
}

std::string score_text(const ScoreReport& report, int width) {
  std::string text = fmt::format("{:.{}f}", report.score, width);
  if (report.interval) text += " (" + interval_text(*report.interval, width) + ")";
  return text;
}

std::string score_line(const ScoreReport& report, int width) {
  return fmt::format("{}|{} = {}{}{}", report.name, report.signature, score_text(report, width),
                     report.verbose.empty() ? "" : " ", report.verbose);
}

Json score_json(const ScoreReport& report, int width) {
  Json json = {{"name", report.name}, {"score", report.score}, {"signature", report.signature}};
  if (report.interval) {
    json["confidence_mean"] = report.interval->mean;
    json["confidence_var"] = report.interval->half_width;
    json["confidence"] = interval_text(*report.interval, width);
  }
  if (!report.verbose.empty()) json["verbose_score"] = report.verbose;
  add_signature_fields(report.signature, json);
  json.update(report.numbers);
  return json;
}

}  // namespace verbund
