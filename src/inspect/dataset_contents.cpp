// SPDX-License-Identifier: Apache-2.0
#include "inspect/dataset_contents.h"

#include <algorithm>

#include "core/columns.h"
#include "core/error.h"
#include "core/file.h"
#include "core/human.h"
#include "core/json_file.h"
#include "data/dataset_format.h"
#include "data/statistics.h"
#include "text/subwords.h"

namespace verbund {
namespace {

std::string pieces_of(const Subwords& subwords, const std::vector<TokenId>& ids) {
  std::string text;
  for (const TokenId id : ids) text += (text.empty() ? "" : " ") + subwords.piece(id);
  return text;
}

// The machine and time of its creation, if they were recorded.
std::string origin(const fs::path& folder) {
  std::string text;
  use_note(folder / kProvenanceFile, [&](const Json& made) {
    text = fmt::format("made on   {}, {}\n", made.at("machine").at("host").get<std::string>(),
                       made.at("time").get<std::string>());
  });
  return text;
}

std::string sources_table(const DatasetManifest& manifest) {
  std::string text;
  for (const DatasetSource& source : manifest.named_sources) {
    text += fmt::format("{:<10}{:<20} {:>13} pairs, weight {:g}{}\n", text.empty() ? "sources" : "", source.name,
                        human_count(manifest.splits.at(source.split)), source.weight,
                        source.tag.empty() ? "" : ", tag " + source.tag);
  }
  return text;
}

}  // namespace

Json sample_pairs(const Dataset& dataset, const PairsToShow& wanted) {
  Json pairs = Json::array();
  if (wanted.count == 0) return pairs;
  const Subwords source(dataset.source_model()), target(dataset.target_model());
  const std::string name = wanted.split.empty() ? dataset.manifest().sources().front().split : wanted.split;
  const Split& split = dataset.split(name);
  if (wanted.first >= split.size()) {
    fail_usage("--pair {} does not exist: {} has {} pairs, counted from 0", wanted.first, name, split.size());
  }
  const size_t count = std::min(wanted.count, split.size() - wanted.first);
  for (size_t i = wanted.first; i < wanted.first + count; ++i) {
    std::vector<TokenId> source_ids, target_ids;
    split.append_source(i, source_ids);
    split.append_target(i, target_ids);
    pairs.push_back({{"pair", i},
                     {"source", source.decode(source_ids)},
                     {"source_pieces", pieces_of(source, source_ids)},
                     {"target", target.decode(target_ids)},
                     {"target_pieces", pieces_of(target, target_ids)}});
  }
  return pairs;
}

std::string show_dataset_contents(const Dataset& dataset, const Json& pairs) {
  const DatasetManifest& manifest = dataset.manifest();
  const Subwords source(dataset.source_model());
  uint64_t bytes = 0;
  for (const auto& [name, record] : manifest.files) bytes += record.size;
  std::string text = fmt::format("dataset   {} ({}), {} -> {}\n", dataset.folder().string(), manifest.name,
                                 manifest.source_language, manifest.target_language);
  text += fmt::format("subwords  {} {}, {} pieces{}\n", manifest.joint() ? "joint" : "one per side,", source.type(),
                      human_count(manifest.source_vocabulary),
                      manifest.joint() ? "" : " and " + human_count(manifest.target_vocabulary));
  text += sources_table(manifest);
  text += fmt::format("files     {}, {}; all checksums match\n", manifest.files.size(), human_bytes(bytes));
  for (const auto& [name, record] : manifest.files) {
    text += fmt::format("          {:<20} {:>10}\n", name, human_bytes(record.size));
  }
  const fs::path statistics = dataset.folder() / kStatisticsFile;
  text += fmt::format("checksum  {}\nmade by   {}\n", manifest.checksum(), manifest.made_by) +
          origin(dataset.folder()) + "\n" + statistics_table(read_file(statistics), statistics.string());
  for (const Json& pair : pairs) {
    text += fmt::format("\npair {}\n", pair["pair"].get<size_t>());
    for (const char* side : {"source", "target"}) {
      text += fmt::format("  {}  {}\n          {}\n", side, pair[side].get<std::string>(),
                          pair[std::string(side) + "_pieces"].get<std::string>());
    }
  }
  return printable(text);
}

Json dataset_contents(const Dataset& dataset, const Json& pairs) {
  const auto whole = [&](const char* file) {
    return use_json_file(dataset.folder() / file, "Run `verbund prepare` again.", [](Json content) { return content; });
  };
  return {{"kind", "dataset"},
          {"manifest", whole(kDatasetManifest)},
          {"statistics", whole(kStatisticsFile)},
          {"pairs", pairs}};
}

}  // namespace verbund
