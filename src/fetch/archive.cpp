// SPDX-License-Identifier: Apache-2.0
#include "fetch/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <fmt/ranges.h>
#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <exception>
#include <map>
#include <memory>
#include <string_view>

#include "core/error.h"
#include "core/file.h"
#include "core/human.h"
#include "core/progress.h"
#include "text/line_reader.h"

namespace verbund {
namespace {

constexpr size_t kBlockSize = 1 << 20, kDigestBlock = 4 << 20;
constexpr std::string_view kGzipMagic = "\x1f\x8b", kXzMagic = "\3757zXZ";

enum class Formats { kAll, kZip };

// Formats that libarchive reads by itself. archive_read_support_filter_all would let the content of a file choose a
// program to start (lrzip, grzip, lzop), and archive_read_support_format_all would let it name other files (mtree).
void allow(archive* reader, Formats formats) {
  archive_read_support_format_zip(reader);
  if (formats == Formats::kZip) return;
  for (const auto format : {archive_read_support_format_tar, archive_read_support_format_gnutar,
                            archive_read_support_format_cpio, archive_read_support_format_7zip}) {
    format(reader);
  }
  for (const auto filter :
       {archive_read_support_filter_gzip, archive_read_support_filter_xz, archive_read_support_filter_lzma,
        archive_read_support_filter_lzip, archive_read_support_filter_bzip2, archive_read_support_filter_zstd,
        archive_read_support_filter_lz4, archive_read_support_filter_compress}) {
    filter(reader);
  }
}

// libarchive's reader. Compressed tars are decompressed before (by text/line_reader): libarchive stops at the end of
// the tar, before the checksum of the stream around it, and never verifies the checksum of gzip.
class ArchiveReader {
 public:
  explicit ArchiveReader(const fs::path& path, Formats formats = Formats::kAll)
      : path_(path), buffer_(kBlockSize), reader_(archive_read_new(), archive_read_free) {
    allow(reader_.get(), formats);
    const MappedFile file(path);
    const bool is_compressed = file.bytes().starts_with(kGzipMagic) || file.bytes().starts_with(kXzMagic);
    if (formats == Formats::kAll && is_compressed) {
      stream_ = {open_bytes(path), std::vector<char>(kBlockSize), nullptr};
      check(archive_read_open(reader_.get(), &stream_, nullptr, read_stream, nullptr));
    } else {
      check(archive_read_open_filename(reader_.get(), path.c_str(), kBlockSize));
    }
  }

  // The next member, or null at the end.
  archive_entry* next() {
    archive_entry* entry = nullptr;
    return check(archive_read_next_header(reader_.get(), &entry)) == ARCHIVE_EOF ? nullptr : entry;
  }

  // The next bytes of the current member; empty at its end.
  std::string_view read() {
    const la_ssize_t size = archive_read_data(reader_.get(), buffer_.data(), buffer_.size());
    if (size < 0) damaged();  // also on a warning: a zip reports a wrong checksum by one
    return {buffer_.data(), static_cast<size_t>(size)};
  }

  // Reads what follows the last member, to verify the checksum.
  void read_to_end() {
    const void* block = nullptr;
    while (stream_.source != nullptr && check(read_stream(reader_.get(), &stream_, &block)) > 0) continue;
  }

  uint64_t compressed_bytes() const {
    if (stream_.source != nullptr) return stream_.source->position();
    return static_cast<uint64_t>(std::max<int64_t>(archive_filter_bytes(reader_.get(), -1), 0));
  }

 private:
  struct Stream {
    std::unique_ptr<ByteSource> source;
    std::vector<char> block;
    std::exception_ptr unreadable;  // a disk error does not mean that the archive is damaged
  };

  // Called from C: no exception may pass through it.
  static la_ssize_t read_stream(archive* reader, void* self, const void** block) {
    auto& [source, bytes, unreadable] = *static_cast<Stream*>(self);
    try {
      *block = bytes.data();
      return static_cast<la_ssize_t>(source->read(bytes.data(), bytes.size()));
    } catch (const SystemError& error) {
      unreadable = std::current_exception();
      archive_set_error(reader, error.number(), "%s", error.what());
      return ARCHIVE_FATAL;
    } catch (const Error& error) {
      archive_set_error(reader, EIO, "%s", error.what());
      return ARCHIVE_FATAL;
    }
  }

  la_ssize_t check(la_ssize_t result) const {
    if (result >= ARCHIVE_OK) return result;
    if (result == ARCHIVE_WARN) return ARCHIVE_OK;  // an odd time stamp or the like
    damaged();
  }

  [[noreturn]] void damaged() const {
    if (stream_.unreadable != nullptr) std::rethrow_exception(stream_.unreadable);
    const char* reason = archive_error_string(reader_.get());
    throw DamagedArchive(fmt::format("{} ({}) is damaged or not an archive: {}", path_.string(),
                                     human_bytes(fs::file_size(path_)), reason ? reason : "it ends too early"));
  }

  fs::path path_;
  std::vector<char> buffer_;
  Stream stream_;
  std::unique_ptr<archive, decltype(&archive_read_free)> reader_;
};

// "./a/b" and "a/b" are the same member.
std::string plain_name(std::string_view name) {
  while (name.starts_with("./")) name.remove_prefix(2);
  return std::string(name);
}

bool is_file(archive_entry* entry) {
  return archive_entry_filetype(entry) == AE_IFREG && archive_entry_hardlink(entry) == nullptr;
}

std::string name_of(archive_entry* entry) {
  const char* name = archive_entry_pathname(entry);
  return plain_name(name != nullptr ? name : "");
}

// Up to five members that may have been meant: the same file in another folder, then names with a similar spelling,
// else the first ones.
std::vector<std::string> near_names(const std::string& wanted, std::vector<std::string> names) {
  constexpr size_t kMax = 5;
  std::vector<std::string> result;
  const auto file_name = fs::path(wanted).filename();
  std::copy_if(names.begin(), names.end(), std::back_inserter(result),
               [&](const std::string& name) { return fs::path(name).filename() == file_name; });
  for (const std::string& name : result) std::erase(names, name);
  while (result.size() < kMax) {
    const std::string name = nearest(wanted, names);
    if (name.empty()) break;
    result.push_back(name);
    std::erase(names, name);
  }
  if (result.empty()) result = std::move(names);
  result.resize(std::min(result.size(), kMax));
  return result;
}

// `check` is called as the members grow: with the name of the last one, and the bytes of all together.
template <typename Check>
std::vector<ArchiveMember> read_members_within(ArchiveReader&& reader, const std::string& ending, Check check) {
  std::vector<ArchiveMember> members;
  uint64_t total = 0;
  while (archive_entry* entry = reader.next()) {
    const std::string name = name_of(entry);
    if (!is_file(entry) || !name.ends_with(ending)) continue;
    ArchiveMember& member = members.emplace_back(ArchiveMember{name, ""});
    for (std::string_view bytes = reader.read(); !bytes.empty(); bytes = reader.read()) {
      total += bytes.size();
      check(name, total);
      member.bytes += bytes;
    }
  }
  reader.read_to_end();
  return members;
}

}  // namespace

void extract(const fs::path& path, const std::vector<Extraction>& wanted) {
  std::map<std::string, fs::path> destinations;
  for (const auto& [member, destination] : wanted) {
    destinations[plain_name(member)] = destination;
    make_folder(destination.parent_path());
  }

  std::map<std::string, std::unique_ptr<AtomicFile>> files;
  std::vector<std::string> names;
  ArchiveReader reader(path);
  Progress progress("extract", fs::file_size(path), "bytes");
  while (archive_entry* entry = reader.next()) {
    progress.update(reader.compressed_bytes());
    const std::string name = name_of(entry);
    if (is_file(entry)) names.push_back(name);
    const auto destination = destinations.find(name);
    if (destination == destinations.end()) continue;
    if (names.empty() || names.back() != name) fail("{}: the member {} is not a file", path.string(), name);

    files.erase(name);  // the last of several members with one name wins, as with tar
    AtomicFile& file = *files.emplace(name, std::make_unique<AtomicFile>(destination->second)).first->second;
    for (std::string_view bytes = reader.read(); !bytes.empty(); bytes = reader.read()) {
      file.write(bytes);
      progress.update(reader.compressed_bytes());
    }
  }
  reader.read_to_end();
  if (names.empty())
    throw DamagedArchive(fmt::format("{} is damaged or not an archive: it holds no files", path.string()));

  for (const auto& [member, destination] : destinations) {
    if (files.contains(member)) continue;
    fail("{} has no member {}. Similar names in it: {}", path.string(), member,
         fmt::join(near_names(member, names), ", "));
  }
  for (const auto& [member, file] : files) file->commit();
}

std::vector<ArchiveMember> read_members(const fs::path& path, const std::string& ending) {
  constexpr uint64_t kMax = 64'000'000;
  return read_members_within(ArchiveReader(path), ending, [&](const std::string& name, uint64_t total) {
    if (total <= kMax) return;
    fail("{}: the files *{} up to {} have more than {}. Extract the archive and give the folder.", path.string(),
         ending, name, human_bytes(kMax));
  });
}

std::vector<ArchiveMember> read_zip(const fs::path& path) {
  const uint64_t limit = 64 * fs::file_size(path) + (1 << 20);
  return read_members_within(ArchiveReader(path, Formats::kZip), "", [&](const std::string& name, uint64_t total) {
    if (total <= limit) return;
    fail("{}: the files up to {} have more than 64 times the size of the archive", path.string(), name);
  });
}

std::string file_digest(const std::filesystem::path& path, Digest algorithm) {
  const std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  const EVP_MD* method = algorithm == Digest::kSha256 ? EVP_sha256() : EVP_md5();
  bool ok = context != nullptr && EVP_DigestInit_ex(context.get(), method, nullptr) == 1;

  const MappedFile file(path);
  const std::string_view bytes = file.bytes();
  Progress progress("verify", bytes.size(), "bytes");
  for (size_t done = 0; ok && done < bytes.size(); done += kDigestBlock) {
    progress.update(done);
    const std::string_view block = bytes.substr(done, kDigestBlock);
    ok = EVP_DigestUpdate(context.get(), block.data(), block.size()) == 1;
  }

  std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
  unsigned int size = 0;
  // The system's policy may forbid an algorithm, as FIPS mode forbids md5.
  if (!ok || EVP_DigestFinal_ex(context.get(), digest.data(), &size) != 1) {
    fail("cannot compute the {} of {}: this system's OpenSSL refuses it",
         algorithm == Digest::kSha256 ? "sha256" : "md5", path.string());
  }
  std::string text;
  for (unsigned int i = 0; i < size; ++i) text += fmt::format("{:02x}", digest[i]);
  return text;
}

}  // namespace verbund
