// Published checksums (sha256, md5) of whole files. What the program itself writes is
// guarded by the faster checksums of core/hash.h.
#pragma once

#include <filesystem>
#include <string>

namespace verbund {

enum class Digest { kSha256, kMd5 };

// The digest as lower-case hexadecimal digits, with a progress bar for large files.
std::string file_digest(const std::filesystem::path& path, Digest algorithm);

}  // namespace verbund
