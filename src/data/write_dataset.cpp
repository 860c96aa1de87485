// SPDX-License-Identifier: Apache-2.0
#include "data/write_dataset.h"

#include <optional>

#include "config/show.h"
#include "core/file.h"
#include "data/dataset_format.h"
#include "data/encode.h"
#include "data/export_text.h"
#include "data/provenance.h"
#include "data/statistics.h"

namespace verbund {
namespace {

DatasetManifest describe(const DatasetParts& parts, const Vocabularies& vocabularies, bool joint) {
  DatasetManifest manifest;
  manifest.name = parts.corpora.name;
  manifest.source_language = parts.corpora.source_language;
  manifest.target_language = parts.corpora.target_language;
  for (const CorpusSource& source : parts.corpora.sources) {
    if (!parts.corpora.named) break;
    manifest.named_sources.push_back({source.name, source.weight, source.tag, parts.corpora.split("train", source)});
  }
  manifest.source_model = joint ? "joint.model" : "source.model";
  manifest.target_model = joint ? "joint.model" : "target.model";
  manifest.source_vocabulary = vocabularies.source.size();
  manifest.target_vocabulary = vocabularies.target.size();
  manifest.made_by = parts.made_by;
  return manifest;
}

void copy_model(const fs::path& from, const fs::path& to, FileRecords& records) {
  ChecksummedFile file(to);
  file.write(read_file(from));
  commit(file, records);
}

// Only renames files, which succeeds on a full disk. The manifest is removed first and renamed last: without it the
// folder is not taken for a dataset.
void publish(const fs::path& making, const fs::path& out) {
  remove_path(out / kDatasetManifest);
  sync_folder(out);
  remove_path(out / "export");
  for (const fs::path& path : list_folder(making)) {
    if (path.filename() != kDatasetManifest) rename_path(path, out / path.filename());
  }
  remove_path(out / kProvenanceFile);  // of the dataset before this one
  sync_folder(out);
  rename_path(making / kDatasetManifest, out / kDatasetManifest);
  sync_folder(out);
  remove_path(making);
}

}  // namespace

void write_dataset(const DatasetParts& parts, const fs::path& making, const fs::path& out) {
  const bool joint = parts.source_model == parts.target_model;
  const Subwords source(parts.source_model);
  const std::optional<Subwords> own_target = joint ? std::nullopt : std::make_optional<Subwords>(parts.target_model);
  const Vocabularies vocabularies{source, joint ? source : *own_target};

  std::optional<Samplers> samplers;
  if (parts.config.subwords.dropout > 0) {
    samplers.emplace(vocabularies, parts.config.subwords.dropout, static_cast<uint64_t>(parts.config.seed));
  }

  DatasetStatistics statistics;
  for (size_t i = 0; i < parts.cleaned.size(); ++i) {
    const CleanReport& cleaned = parts.cleaned[i];
    statistics.clean.add(cleaned);
    statistics.clean.lines.insert(statistics.clean.lines.end(), cleaned.lines.begin(), cleaned.lines.end());
    if (parts.corpora.named) statistics.by_source.emplace_back(parts.corpora.sources[i].name, cleaned);
  }
  statistics.source_pieces.resize(source.size());
  if (!joint) statistics.target_pieces.resize(own_target->size());

  DatasetManifest manifest = describe(parts, vocabularies, joint);
  std::optional<TextExport> text;
  remove_path(making);
  make_folder(making);
  if (parts.with_text) {
    text.emplace(making / "export", parts.corpora.sources[0], parts.config.subwords, vocabularies, joint);
  }
  for (const auto& [split, texts, train] : parts.splits) {
    const EncodeRequest request = {
        split, texts, train, parts.threads, train && samplers ? &*samplers : nullptr, parts.config.corpus.encoded};
    std::optional<PieceFiles> pieces;
    if (text) text->open(split, pieces);
    encode_split(request, vocabularies, making, pieces ? &*pieces : nullptr, statistics, manifest.files);
    if (pieces) text->close(*pieces);
    manifest.splits[split] = statistics.splits[split].pairs;
  }
  copy_model(parts.source_model, making / manifest.source_model, manifest.files);
  if (!joint) copy_model(parts.target_model, making / manifest.target_model, manifest.files);
  write_file(making / kStatisticsFile, statistics_json(statistics));
  write_file(making / kPrepareFile, show(parts.config));
  write_manifest(making, manifest);
  publish(making, out);
}

}  // namespace verbund
