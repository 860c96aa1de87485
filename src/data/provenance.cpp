// SPDX-License-Identifier: Apache-2.0
#include "data/provenance.h"

#include <optional>

#include "core/file.h"
#include "core/hash.h"
#include "core/machine.h"
#include "core/wall_clock.h"
#include "text/parallel_corpus.h"

namespace verbund {
namespace {

constexpr int kVersion = 1;

// Lines are pairs: sides of different length would have been refused.
uint64_t count_lines(const ParallelFiles& corpus) {
  ParallelReader reader({corpus});
  uint64_t lines = 0;
  while (const auto block = reader.next()) lines += block->size();
  return lines;
}

void add_files(const ProvenanceInput& text, Json& inputs) {
  std::optional<uint64_t> lines = text.lines;
  for (const std::string& file : {text.files.source, text.files.target, text.files.both()}) {
    if (file.empty()) continue;
    Json input = {{"split", text.split}, {"path", fs::absolute(file).lexically_normal().string()}};
    if (fs::is_regular_file(file)) {  // a pipe can be read only once
      input["size"] = fs::file_size(file);
      input["xxh3_128"] = file_checksum(file);
      if (!lines) lines = count_lines(text.files);
      input["lines"] = *lines;
    }
    inputs.push_back(input);
  }
}

}  // namespace

Json dataset_provenance(const Maker& maker, const std::vector<ProvenanceInput>& inputs, const Json& stages) {
  Json json = {{"format", "verbund-dataset-provenance"},
               {"version", kVersion},
               {"time", utc_time()},
               {"program", maker.program},
               {"command", maker.command},
               {"machine", to_json(this_machine())}};
  json["inputs"] = Json::array();
  for (const ProvenanceInput& input : inputs) add_files(input, json["inputs"]);
  for (const auto& [name, stage] : stages.items()) {
    for (const char* key : {"time", "seconds", "peak_memory_bytes"}) {
      if (stage.contains(key)) json["stages"][name][key] = stage.at(key);
    }
  }
  return json;
}

}  // namespace verbund
