// SPDX-License-Identifier: Apache-2.0
#include "fetch/manifest.h"

#include <cstdlib>
#include <set>

#include "config/load.h"
#include "config/value.h"
#include "core/error.h"
#include "core/file.h"
#include "core/human.h"

namespace verbund {
namespace {

std::vector<fs::path> manifest_folders() {
  std::vector<fs::path> folders = {"corpora"};
  if (const char* home = std::getenv("HOME")) folders.push_back(fs::path(home) / ".config/verbund/corpora");
  return folders;
}

// Returns the text, and its origin for messages.
std::pair<std::string, std::string> find_manifest(const std::string& name_or_path) {
  if (name_or_path.find('/') != std::string::npos || fs::path(name_or_path).extension() == ".yaml") {
    return {read_file(name_or_path), name_or_path};
  }
  for (const fs::path& folder : manifest_folders()) {
    const fs::path path = folder / (name_or_path + ".yaml");
    if (fs::exists(path)) return {read_file(path), path.string()};
  }
  for (const BuiltinFile& builtin : builtin_manifests()) {
    if (builtin.name == name_or_path) {
      return {std::string(builtin.text), fmt::format("built-in corpora/{}.yaml", builtin.name)};
    }
  }
  std::vector<std::string> names = manifest_names();
  names.insert(names.end(), {"demo", "reversal"});
  const std::string guess = nearest(name_or_path, names);
  fail_usage("unknown corpus {}{}\nKnown: {}. Or give a manifest's path (docs/corpora.md).", name_or_path,
             guess.empty() ? "" : fmt::format(": did you mean {}?", guess), fmt::join(names, ", "));
}

void check(const CorpusManifest& manifest, const std::string& where) {
  std::set<std::string> archives;
  for (const ManifestArchive& archive : manifest.archives) {
    if (archive.name.empty() || archive.url.empty()) fail_usage("{}: every archive needs a name and a url", where);
    if (archive.name.find('/') != std::string::npos) {
      fail_usage("{}: the archive name {} must be a plain file name", where, archive.name);
    }
    if (!archives.insert(archive.name).second) fail_usage("{}: two archives are named {}", where, archive.name);
  }
  for (const auto* texts : {&manifest.train, &manifest.dev, &manifest.test}) {
    for (const ManifestText& text : *texts) {
      for (const ManifestSide* side : {&text.source, &text.target}) {
        if (archives.contains(side->archive)) continue;
        const std::vector<std::string> names(archives.begin(), archives.end());
        fail_usage("{}: there is no archive named \"{}\" (there are: {})", where, side->archive,
                   fmt::join(names, ", "));
      }
    }
  }
  if (manifest.train.empty()) fail_usage("{}: the manifest names no train texts", where);
}

}  // namespace

void ManifestArchive::fields(FieldVisitor& visit) {
  visit.field("name", name, "file name in the cache");
  visit.field("url", url, "address to download from");
  auto bytes = static_cast<int64_t>(size);
  visit.field("size", bytes, {0, INT64_MAX}, "in bytes; 0: unknown");
  size = static_cast<uint64_t>(bytes);
  visit.field("sha256", sha256, "published checksum; empty: unknown");
  visit.field("md5", md5, "published checksum; empty: unknown");
}

void ManifestSide::fields(FieldVisitor& visit) {
  visit.field("archive", archive, "name of an archive");
  visit.field("member", member, "path inside it; empty: the download itself is the text");
}

void ManifestText::fields(FieldVisitor& visit) {
  visit.section("source", source, "the source side");
  visit.section("target", target, "the target side");
}

void CorpusManifest::fields(FieldVisitor& visit) {
  visit.field("name", name, "name for --corpus");
  visit.field("description", description, "description of the corpus");
  visit.field("source_language", source_language, "code of the language translated from");
  visit.field("target_language", target_language, "code of the language translated into");
  visit.field("dev_name", dev_name, "name of the dev set in exported files");
  visit.field("test_name", test_name, "name of the test set in exported files");
  visit.list("archives", archives, "the files to download");
  visit.list("train", train, "texts to train on");
  visit.list("dev", dev, "texts to validate on");
  visit.list("test", test, "texts to test on");
}

CorpusManifest load_manifest(const std::string& name_or_path) {
  const auto [text, where] = find_manifest(name_or_path);
  CorpusManifest manifest;
  load(parse_yaml(text, where), manifest);
  if (manifest.name.empty()) manifest.name = fs::path(name_or_path).stem().string();
  check(manifest, where);
  return manifest;
}

std::string manifest_text(const std::string& name_or_path) { return find_manifest(name_or_path).first; }

std::vector<std::string> manifest_names() {
  std::set<std::string> names;
  for (const BuiltinFile& builtin : builtin_manifests()) names.emplace(builtin.name);
  for (const fs::path& folder : manifest_folders()) {
    if (!fs::is_directory(folder)) continue;
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.path().extension() == ".yaml") names.insert(entry.path().stem().string());
    }
  }
  return {names.begin(), names.end()};
}

}  // namespace verbund
