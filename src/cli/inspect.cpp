// verbund inspect: says what a dataset folder holds, and checks every byte of it.
#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/options.h"
#include "core/error.h"
#include "core/file.h"
#include "core/human.h"
#include "core/json_file.h"
#include "data/dataset.h"
#include "data/dataset_format.h"
#include "data/dataset_verification.h"
#include "data/statistics.h"
#include "text/subwords.h"

namespace verbund {
namespace {

using Json = nlohmann::ordered_json;

std::string pieces_of(const Subwords& subwords, const std::vector<TokenId>& ids) {
  std::string text;
  for (const TokenId id : ids) text += (text.empty() ? "" : " ") + subwords.piece(id);
  return text;
}

Json sample_pairs(const Dataset& dataset, const std::string& split_name, size_t first, size_t count) {
  const Subwords source(dataset.source_model()), target(dataset.target_model());
  const Split& split = dataset.split(split_name);
  if (first >= split.size()) {
    fail_usage("--pair {} is beyond the end: {} has {} pairs, counted from 0", first, split_name, split.size());
  }
  Json pairs = Json::array();
  for (size_t i = first; i < std::min(first + count, split.size()); ++i) {
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

// Where and when, if the dataset is not older than such notes.
std::string origin(const fs::path& folder) {
  std::string text;
  use_note(folder / kProvenanceFile, [&](const Json& made) {
    text = fmt::format("made on   {}, {}\n", made.at("machine").at("host").get<std::string>(),
                       made.at("time").get<std::string>());
  });
  return text;
}

void print_text(const Dataset& dataset, const std::string& statistics, const Json& pairs) {
  const DatasetManifest& manifest = dataset.manifest();
  const Subwords source(dataset.source_model());
  uint64_t bytes = 0;
  for (const auto& [name, record] : manifest.files) bytes += record.size;
  std::cout << fmt::format("dataset   {} ({}), {} -> {}\n", dataset.folder().string(), manifest.name,
                           manifest.source_language, manifest.target_language)
            << fmt::format("subwords  {} {}, {} pieces{}\n", manifest.joint() ? "joint" : "one per side,",
                           source.type(), human_count(manifest.source_vocabulary),
                           manifest.joint() ? "" : " and " + human_count(manifest.target_vocabulary))
            << fmt::format("files     {}, {}; every checksum is right\n", manifest.files.size(), human_bytes(bytes));
  for (const auto& [name, record] : manifest.files) {
    std::cout << fmt::format("          {:<20} {:>10}\n", name, human_bytes(record.size));
  }
  std::cout << fmt::format("checksum  {}\nmade by   {}\n", manifest.checksum(), manifest.made_by)
            << origin(dataset.folder()) << "\n"
            << statistics_table(statistics, (dataset.folder() / kStatisticsFile).string());
  for (const Json& pair : pairs) {
    std::cout << fmt::format("\npair {}\n", pair["pair"].get<size_t>());
    for (const char* side : {"source", "target"}) {
      std::cout << fmt::format("  {}  {}\n          {}\n", side, pair[side].get<std::string>(),
                               pair[std::string(side) + "_pieces"].get<std::string>());
    }
  }
}

}  // namespace

void run_inspect(const Arguments& arguments) {
  Options options("inspect", "Says what a dataset folder holds, and checks every byte of it.",
                  "  verbund inspect data/demo\n"
                  "  verbund inspect data/demo --split dev --pair 10 --count 5\n"
                  "  verbund inspect data/demo --json\n");
  std::string folder, split = "train";
  size_t first = 0, count = 3;
  bool json = false;
  options.add_option("FOLDER", folder, "A dataset folder")->required();
  options.add_option("--split", split, "Whose pairs to show")->capture_default_str();
  options.add_option("--pair", first, "The first pair to show, counted from 0")
      ->check(at_least(0))
      ->capture_default_str();
  options.add_option("--count", count, "How many pairs to show")->check(at_least(0))->capture_default_str();
  options.add_flag("--json", json, "Print everything as JSON");
  if (!options.read(arguments)) return;

  const Dataset dataset(folder);
  verify(dataset);
  const Json pairs = count > 0 ? sample_pairs(dataset, split, first, count) : Json::array();
  const std::string statistics = read_file(dataset.folder() / kStatisticsFile);
  if (json) {
    const auto whole = [&](const char* file) {
      return use_json_file(dataset.folder() / file, "Run `verbund prepare` again.",
                           [](Json content) { return content; });
    };
    const Json result = {
        {"manifest", whole(kDatasetManifest)}, {"statistics", whole(kStatisticsFile)}, {"pairs", pairs}};
    std::cout << result.dump(2) << "\n";
  } else {
    print_text(dataset, statistics, pairs);
  }
}

}  // namespace verbund
