// SPDX-License-Identifier: Apache-2.0
#include "data/statistics.h"

#include <fmt/format.h>

#include "core/error.h"
#include "core/file.h"
#include "core/human.h"
#include "core/json_file.h"

namespace verbund {
namespace {

void add_side(SideStatistics& side, std::span<const TokenId> ids) {
  side.tokens += ids.size();
  side.longest = std::max<uint64_t>(side.longest, ids.size());
  side.unknown += static_cast<uint64_t>(std::count(ids.begin(), ids.end(), kUnknown));
}

double ratio(uint64_t part, uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

Json to_json(const SideStatistics& side, uint64_t pairs) {
  return {{"tokens", side.tokens},
          {"average_length", ratio(side.tokens, pairs)},
          {"longest", side.longest},
          {"unknown", side.unknown},
          {"unknown_rate", ratio(side.unknown, side.tokens)}};
}

// Training pairs first, as `prepare` makes them.
std::vector<std::string> in_order(const std::map<std::string, SplitStatistics>& splits) {
  std::vector<std::string> names;
  for (const std::string kind : {"train", "dev", "test"}) {
    for (const auto& [name, split] : splits) {
      if (name == kind || name.starts_with(kind + "-")) names.push_back(name);
    }
  }
  return names;
}

Json pieces_json(const std::vector<uint64_t>& counts) {
  const auto used = counts.size() - static_cast<size_t>(std::count(counts.begin(), counts.end(), 0u));
  return {{"pieces", counts.size()}, {"used", used}};
}

std::string megabytes(uint64_t bytes) { return fmt::format("{:.1f} MB", static_cast<double>(bytes) / 1e6); }

std::string clean_table(const std::string& title, const Json& clean) {
  const uint64_t before = clean.at("pairs_before"), after = clean.at("pairs_after");
  std::string text = fmt::format("{:<22}{:>14}{:>14}\n", title, "before", "after");
  text += fmt::format("  {:<20}{:>14}{:>14}\n", "pairs", human_count(before), human_count(after));
  for (const char* side : {"source", "target"}) {
    text += fmt::format("  {:<20}{:>14}{:>14}\n", side, megabytes(clean.at(fmt::format("{}_bytes_before", side))),
                        megabytes(clean.at(fmt::format("{}_bytes_after", side))));
  }
  for (const auto& [rule, count] : clean.at("dropped").items()) {
    if (count == 0) continue;
    text += fmt::format("  dropped: {:<19}{:>7}{:>14.3f} %\n", rule, human_count(count), 100 * ratio(count, before));
  }
  return text;
}

std::string split_table(const Json& splits) {
  std::string text = fmt::format("\n{:<22}{:>13}{:>14}{:>9}{:>9}{:>11}\n", "encoded", "pairs", "tokens", "average",
                                 "longest", "unknown");
  for (const auto& [name, split] : splits.items()) {
    for (const char* side : {"source", "target"}) {
      const Json& numbers = split.at(side);
      text += fmt::format("  {:<20}{:>13}{:>14}{:>9.1f}{:>9}{:>9.3f} %\n", name + " " + side,
                          human_count(split.at("pairs")), human_count(numbers.at("tokens")),
                          numbers.at("average_length").get<double>(), numbers.at("longest").get<uint64_t>(),
                          100 * numbers.at("unknown_rate").get<double>());
    }
  }
  return text;
}

bool is_training_split(std::string_view split) { return split == "train" || split.starts_with("train-"); }

std::string histogram(const Json& splits) {
  std::string text = "\nlength of training pairs (longer side, in tokens)\n";
  std::vector<uint64_t> counts(kLengthSteps);
  for (const auto& [name, split] : splits.items()) {
    if (!is_training_split(name)) continue;
    for (size_t i = 0; i < kLengthSteps; ++i) counts[i] += split.at("length_histogram").at(i).get<uint64_t>();
  }
  const uint64_t most = std::max<uint64_t>(1, *std::max_element(counts.begin(), counts.end()));
  size_t last = counts.size();
  while (last > 1 && counts[last - 1] == 0) --last;
  for (size_t i = 0; i < last; ++i) {
    const std::string range = i + 1 == kLengthSteps ? fmt::format("{}+", i * kLengthStep)
                                                    : fmt::format("{}-{}", i * kLengthStep, (i + 1) * kLengthStep - 1);
    std::string bar;
    for (uint64_t j = 0; j < (counts[i] * 40 + most - 1) / most; ++j) bar += "▇";
    text += fmt::format("  {:>8} {:>12}  {}\n", range, human_count(counts[i]), bar);
  }
  return text;
}

}  // namespace

void SplitStatistics::add(std::span<const TokenId> ids, std::span<const uint32_t> lengths) {
  size_t begin = 0;
  for (size_t i = 0; i < lengths.size(); i += 2) {
    add_side(source, ids.subspan(begin, lengths[i]));
    add_side(target, ids.subspan(begin + lengths[i], lengths[i + 1]));
    begin += lengths[i] + lengths[i + 1];
    ++histogram[std::min<size_t>(std::max(lengths[i], lengths[i + 1]) / kLengthStep, kLengthSteps - 1)];
    ++pairs;
  }
}

void DatasetStatistics::count_pieces(std::span<const TokenId> ids, std::span<const uint32_t> lengths) {
  if (target_pieces.empty()) {  // joint
    for (const TokenId id : ids) ++source_pieces[static_cast<size_t>(id)];
    return;
  }
  size_t next = 0;
  for (size_t i = 0; i < lengths.size(); ++i) {
    auto& counts = i % 2 == 0 ? source_pieces : target_pieces;
    for (uint32_t j = 0; j < lengths[i]; ++j) ++counts[static_cast<size_t>(ids[next++])];
  }
}

Json to_json(const CleanReport& report) {
  Json json = {{"pairs_before", report.pairs_before},
               {"pairs_after", report.pairs_after},
               {"source_bytes_before", report.source_bytes_before},
               {"source_bytes_after", report.source_bytes_after},
               {"target_bytes_before", report.target_bytes_before},
               {"target_bytes_after", report.target_bytes_after}};
  for (const Rule rule : kRules) json["dropped"][rule_name(rule)] = report.dropped[static_cast<size_t>(rule)];
  json["lines"] = report.lines;
  return json;
}

CleanReport clean_report(const Json& json) {
  CleanReport report;
  report.pairs_before = json.at("pairs_before");
  report.pairs_after = json.at("pairs_after");
  report.source_bytes_before = json.at("source_bytes_before");
  report.source_bytes_after = json.at("source_bytes_after");
  report.target_bytes_before = json.at("target_bytes_before");
  report.target_bytes_after = json.at("target_bytes_after");
  for (const Rule rule : kRules) report.dropped[static_cast<size_t>(rule)] = json.at("dropped").at(rule_name(rule));
  report.lines = json.value("lines", std::vector<uint64_t>());  // older records have none
  return report;
}

std::string statistics_json(const DatasetStatistics& statistics) {
  Json json;
  json["clean"] = to_json(statistics.clean);
  for (const auto& [source, report] : statistics.by_source) json["clean_by_source"][source] = to_json(report);
  for (const std::string& name : in_order(statistics.splits)) {
    const SplitStatistics& split = statistics.splits.at(name);
    json["splits"][name] = {{"pairs", split.pairs},
                            {"source", to_json(split.source, split.pairs)},
                            {"target", to_json(split.target, split.pairs)},
                            {"length_step", kLengthStep},
                            {"length_histogram", split.histogram}};
  }
  if (statistics.target_pieces.empty()) {
    json["vocabulary"]["joint"] = pieces_json(statistics.source_pieces);
  } else {
    json["vocabulary"]["source"] = pieces_json(statistics.source_pieces);
    json["vocabulary"]["target"] = pieces_json(statistics.target_pieces);
  }
  return dump_json(json, 2) + "\n";
}

double average_training_tokens(const std::filesystem::path& file) {
  return use_json_file(file, "Run `verbund prepare` again.", [](const Json& json) {
    uint64_t pairs = 0, source_tokens = 0, target_tokens = 0;
    for (const auto& [name, split] : json.at("splits").items()) {
      if (!is_training_split(name)) continue;
      pairs += split.at("pairs").get<uint64_t>();
      source_tokens += split.at("source").at("tokens").get<uint64_t>();
      target_tokens += split.at("target").at("tokens").get<uint64_t>();
    }
    return ratio(std::max(source_tokens, target_tokens), pairs) + 1;
  });
}

std::string statistics_table(const std::string& text, const std::string& where) {
  return use_json(text, where, "Run `verbund prepare` again.", [](const Json& json) {
    std::string table = clean_table("training text", json.at("clean"));
    const Json by_source = json.value("clean_by_source", Json::object());
    for (const auto& [source, clean] : by_source.items()) {
      table += clean_table(source, clean);
    }
    table += split_table(json.at("splits")) + "\n";
    for (const auto& [side, numbers] : json.at("vocabulary").items()) {
      table += fmt::format("{:<22}{} of {} pieces used in training pairs\n", side + " vocabulary",
                           human_count(numbers.at("used")), human_count(numbers.at("pieces")));
    }
    return table + histogram(json.at("splits"));
  });
}

}  // namespace verbund
