// What has arrived of a download so far: the bytes in PATH.download, and in
// PATH.download.json which version of the file on the server they are the beginning of.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace verbund {

class PartialFile {
 public:
  // Takes up what an earlier run left for this URL; bytes of an unknown version are of
  // no use and count as none.
  PartialFile(const std::filesystem::path& path, std::string url);
  ~PartialFile();  // keeps the bytes for the next run, if it can use them
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  uint64_t size() const { return size_; }
  uint64_t total() const { return total_; }  // of the whole file; 0 if the server did not say
  bool complete() const { return total_ > 0 && size_ == total_; }
  const std::filesystem::path& path() const { return path_; }

  // The ETag or Last-Modified of the response; "" if it had none, and then only the whole
  // file can be asked for.
  const std::string& version() const { return version_; }
  bool can_go_on() const { return size_ > 0 && !version_.empty(); }

  // Drops all bytes: those of `version` follow.
  void restart(std::string version, uint64_t total);

  void append(std::string_view bytes);

  // All bytes are here: the file gets its name. Or another one, if it is not what it
  // should be.
  void finish(const std::filesystem::path& name);

 private:
  void read_note();

  std::filesystem::path path_, note_;
  std::string url_, version_;
  int descriptor_ = -1;
  uint64_t total_ = 0, size_ = 0;
};

// Of a file that has its name already, if a kill came just before the note's end.
void remove_download_note(const std::filesystem::path& path);

}  // namespace verbund
