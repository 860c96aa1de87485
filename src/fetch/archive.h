// Members of .tgz, .tar.gz, .tar.xz, .zip ... -> files. The only user of libarchive.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "core/error.h"

namespace verbund {

struct Extraction {
  std::string member;                 // its path inside the archive
  std::filesystem::path destination;  // its folder is made if need be
};

// The archive cannot be read to its end: cut short, altered, or of no known format.
class DamagedArchive : public Error {
 public:
  using Error::Error;
};

// Extracts all wanted members in one pass. The files get their names only when the whole
// archive has been read and found sound, so that damage leaves nothing behind.
void extract(const std::filesystem::path& archive, const std::vector<Extraction>& wanted);

struct ArchiveMember {
  std::string name;
  std::string bytes;
};

// All files in an archive whose names end so, for archives of small files: a member of more than 64 MB is an error.
std::vector<ArchiveMember> read_members(const std::filesystem::path& archive, const std::string& ending);

}  // namespace verbund
