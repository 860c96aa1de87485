// SPDX-License-Identifier: Apache-2.0
// CorpusManifest describes a corpus: the files to download and the parallel texts inside them. docs/corpora.md explains
// the file format.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "config/fields.h"
#include "core/builtin_file.h"

namespace verbund {

// One file to download.
struct ManifestArchive {
  std::string name;  // local file name
  std::string url;
  uint64_t size = 0;   // bytes, 0 unknown
  std::string sha256;  // "" unknown
  std::string md5;     // "" unknown

  void fields(FieldVisitor& visit);
};

// One side of a parallel text: `archive` names a ManifestArchive; `member` is a path
// inside a tar or zip, or empty if the download itself is the file (.gz, .xz, plain).
// The two sides may come from different archives.
struct ManifestSide {
  std::string archive;
  std::string member;

  void fields(FieldVisitor& visit);
};

struct ManifestText {
  ManifestSide source, target;

  void fields(FieldVisitor& visit);
};

struct CorpusManifest {
  std::string name, description, source_language, target_language;
  std::string dev_name, test_name;
  std::vector<ManifestArchive> archives;
  std::vector<ManifestText> train, dev, test;

  void fields(FieldVisitor& visit);
};

// `name_or_path` is a YAML file, or the name of a manifest in ./corpora, in ~/.config/verbund/corpora or built in, in
// this order of precedence.
CorpusManifest load_manifest(const std::string& name_or_path);

// The text of a manifest, to be edited and saved as a file.
std::string manifest_text(const std::string& name_or_path);

// The names of all manifests that can be found.
std::vector<std::string> manifest_names();

// The manifests of corpora/, compiled into the program.
std::span<const BuiltinFile> builtin_manifests();

}  // namespace verbund
