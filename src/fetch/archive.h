// SPDX-License-Identifier: Apache-2.0
// Archive functions list and extract the members of .tgz, .tar.gz, .tar.xz, .zip, ... files, and compute published
// checksums of files. Only archive.cpp uses libarchive.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/error.h"

namespace verbund {

struct Extraction {
  std::string member;                 // its path inside the archive
  std::filesystem::path destination;  // its folder is created if necessary
};

// The archive cannot be read to its end: it is truncated, altered, or of unknown format.
class DamagedArchive : public Error {
 public:
  using Error::Error;
};

// Extracts all wanted members in one pass. The files get their names only after the whole archive has been read without
// an error, so that a damaged one leaves no files.
void extract(const std::filesystem::path& archive, const std::vector<Extraction>& wanted);

struct ArchiveMember {
  std::string name;
  std::string bytes;
};

// All files of an archive whose names have this ending. More than 64 MB together are an error.
std::vector<ArchiveMember> read_members(const std::filesystem::path& archive, const std::string& ending);

// All files of a zip archive, and of no other kind. Refuses one whose content is far larger than its file, as that of
// an attacker may be.
std::vector<ArchiveMember> read_zip(const std::filesystem::path& archive);

// Published checksums. The files that the program itself writes have the faster checksums of core/hash.h.
enum class Digest { kSha256, kMd5 };

// The digest of a file as lower-case hexadecimal digits, with a progress bar for large files.
std::string file_digest(const std::filesystem::path& path, Digest algorithm);

}  // namespace verbund
